package text

import "slices"

// Stem returns the stem of an English term by Porter's rules (M. F. Porter, An algorithm for suffix stripping, 1980): a
// word and its usual forms have one stem, which need be no word. A term that is not made of small ASCII letters comes
// back as it is.
func Stem(term string) string {
	if len(term) < 3 {
		return term
	}
	for i := 0; i < len(term); i++ {
		if term[i] < 'a' || term[i] > 'z' {
			return term
		}
	}
	var buf [MaxTerm + 2]byte
	w := stemmer(append(buf[:0], term...))
	w = w.plurals().participles().terminalY()
	w = w.replaced(stemStep2).replaced(stemStep3).dropped()
	w = w.tidied()
	if string(w) == term {
		return term
	}
	return string(w)
}

// stemmer is a word on its way to its stem. In Porter's words: a letter is a consonant or a vowel, and the measure counts
// the changes from vowels to consonants.
type stemmer []byte

func (w stemmer) consonant(i int) bool {
	switch w[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		return i == 0 || !w.consonant(i-1)
	}
	return true
}

// measure returns how many runs of vowels with consonants behind them the first n letters have.
func (w stemmer) measure(n int) (m int) {
	i := 0
	for i < n && w.consonant(i) {
		i++
	}
	for i < n {
		for i < n && !w.consonant(i) {
			i++
		}
		if i == n {
			break
		}
		m++
		for i < n && w.consonant(i) {
			i++
		}
	}
	return m
}

func (w stemmer) vowelIn(n int) bool {
	for i := range n {
		if !w.consonant(i) {
			return true
		}
	}
	return false
}

// double reports whether the word ends with twice the same consonant.
func (w stemmer) double() bool {
	n := len(w)
	return n > 1 && w[n-1] == w[n-2] && w.consonant(n-1)
}

// short reports whether the first n letters end with consonant, vowel, consonant, and the last is not w, x or y.
func (w stemmer) short(n int) bool {
	return n > 2 && w.consonant(n-3) && !w.consonant(n-2) && w.consonant(n-1) &&
		w[n-1] != 'w' && w[n-1] != 'x' && w[n-1] != 'y'
}

func (w stemmer) ends(suffix string) bool {
	return len(w) > len(suffix) && string(w[len(w)-len(suffix):]) == suffix
}

// plurals: caresses, ponies, cats.
func (w stemmer) plurals() stemmer {
	switch {
	case w.ends("sses"), w.ends("ies"):
		return w[:len(w)-2]
	case w.ends("ss"):
	case w.ends("s"):
		return w[:len(w)-1]
	}
	return w
}

// participles: agreed, plastered, motoring.
func (w stemmer) participles() stemmer {
	switch {
	case w.ends("eed"):
		if w.measure(len(w)-3) > 0 {
			return w[:len(w)-1]
		}
		return w
	case w.ends("ed") && w.vowelIn(len(w)-2):
		w = w[:len(w)-2]
	case w.ends("ing") && w.vowelIn(len(w)-3):
		w = w[:len(w)-3]
	default:
		return w
	}
	switch {
	case w.ends("at"), w.ends("bl"), w.ends("iz"):
		return append(w, 'e')
	case w.double() && !w.ends("l") && !w.ends("s") && !w.ends("z"):
		return w[:len(w)-1]
	case w.measure(len(w)) == 1 && w.short(len(w)):
		return append(w, 'e')
	}
	return w
}

// terminalY: happy.
func (w stemmer) terminalY() stemmer {
	if w.ends("y") && w.vowelIn(len(w)-1) {
		w[len(w)-1] = 'i'
	}
	return w
}

// suffix is a rule: one suffix becomes another after a stem with a measure above nothing.
type suffix struct{ from, to string }

// The suffixes of steps 2 and 3, longer ones before those that they end with.
var (
	stemStep2 = []suffix{
		{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"}, {"abli", "able"},
		{"alli", "al"}, {"entli", "ent"}, {"eli", "e"}, {"ousli", "ous"}, {"ization", "ize"}, {"ation", "ate"},
		{"ator", "ate"}, {"alism", "al"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},
		{"iviti", "ive"}, {"biliti", "ble"},
	}
	stemStep3 = []suffix{
		{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""},
	}
	stemStep4 = []string{
		"al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
		"ous", "ive", "ize",
	}
)

func (w stemmer) replaced(rules []suffix) stemmer {
	for _, r := range rules {
		if w.ends(r.from) {
			if n := len(w) - len(r.from); w.measure(n) > 0 {
				return append(w[:n], r.to...)
			}
			return w
		}
	}
	return w
}

// dropped: revival, adjustment, adoption.
func (w stemmer) dropped() stemmer {
	for _, s := range stemStep4 {
		if !w.ends(s) {
			continue
		}
		n := len(w) - len(s)
		if w.measure(n) > 1 && (s != "ion" || w[n-1] == 's' || w[n-1] == 't') {
			return w[:n]
		}
		return w
	}
	return w
}

// tidied: probate, controll.
func (w stemmer) tidied() stemmer {
	if n := len(w) - 1; w.ends("e") {
		if m := w.measure(n); m > 1 || m == 1 && !w.short(n) {
			w = w[:n]
		}
	}
	if w.ends("l") && w.double() && w.measure(len(w)) > 1 {
		w = w[:len(w)-1]
	}
	return w
}

// Common reports whether an English term is so common that a question asks for nothing with it: articles, pronouns,
// auxiliaries, question words and the like. Texts are indexed with all their words; only questions may leave these out.
func Common(term string) bool {
	_, found := slices.BinarySearch(commonTerms, term)
	return found
}

// commonTerms is sorted. The pieces of contractions (don't, we're) are among them.
var commonTerms = []string{
	"a", "about", "above", "across", "actually", "after", "again", "against", "ain", "all", "along", "also", "although",
	"am", "among", "an", "and", "another", "any", "anybody", "anyone", "anything", "are", "aren", "around", "as", "aside",
	"at", "away", "be", "because", "been", "before", "behind", "being", "below", "beneath", "beside", "besides", "between",
	"beyond", "both", "but", "by", "can", "could", "couldn", "d", "did", "didn", "do", "does", "doesn", "doing", "don",
	"down", "due", "during", "each", "either", "else", "ever", "every", "everyone", "everything", "few", "for", "from",
	"further", "had", "hadn", "has", "hasn", "have", "haven", "having", "he", "her", "here", "hers", "herself", "him",
	"himself", "his", "how", "however", "i", "if", "in", "instead", "into", "is", "isn", "it", "its", "itself", "just",
	"ll", "lot", "lots", "m", "many", "may", "maybe", "me", "might", "mightn", "more", "most", "much", "must", "mustn",
	"my", "myself", "near", "needn", "neither", "no", "nobody", "nor", "not", "nothing", "now", "of", "off", "okay", "on",
	"once", "only", "onto", "or", "other", "our", "ours", "ourselves", "out", "over", "own", "per", "perhaps", "please",
	"quite", "rather", "re", "really", "s", "same", "shall", "shan", "she", "should", "shouldn", "since", "so", "some",
	"somebody", "someone", "something", "still", "such", "t", "than", "that", "the", "their", "theirs", "them",
	"themselves", "then", "there", "these", "they", "this", "those", "though", "through", "throughout", "till", "to",
	"too", "toward", "towards", "under", "unless", "unlike", "until", "up", "upon", "us", "ve", "very", "via", "was",
	"wasn", "we", "were", "weren", "what", "whatever", "when", "whenever", "where", "wherever", "whether", "which",
	"whichever", "while", "who", "whoever", "whom", "whose", "why", "will", "with", "within", "without", "won", "would",
	"wouldn", "yet", "you", "your", "yours", "yourself", "yourselves",
}
