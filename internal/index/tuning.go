package index

// Everything that tunes the ranking is in this file, with its reason. The values were set on questions with known answers
// and were looked at by halves, though no half was kept out of the tuning: about 1,000 questions to long dialogues, where one standard error
// is 1.3 points of first hits, and 40 to coding sessions, where one question is 2.5 points. A change below that proves
// nothing. TestQuality fails when the ranking gets worse on a small set; docs/RANKING.md tells the same to a user.

// BM25. Measured without effect between 0.4 and 1.8 for k and between 0.5 and 1 for b.
const (
	bm25K = 1.0
	bm25B = 0.75

	convK = 1.2 // of a conversation as a whole
	convB = 0.75
)

// fieldWeight is what a word in each sort of text is worth. People look for what they said; what a tool returned is long
// and says the same words over and over. It decides between equals, and no more: the measured effect is small. A place
// (project, branch) counts for the conversation alone.
var fieldWeight = [fieldCount]float32{
	fieldUser: 1.3, fieldAnswer: 1, fieldCall: 0.9, fieldThinking: 0.8, fieldOutput: 0.7, fieldSystem: 0.5, fieldTitle: 1.6, fieldPlace: 0,
}

// The exact tier, and forms and spellings.
const (
	titleShare    = 0.25              // of a title's score that its conversation's messages get which answer too
	recency       = 0.1               // what the newest message gains; half of it where it is older by recencyHalf
	recencyHalf   = 182 * 24 * 3600e9 // half a year in nanoseconds
	inactiveShare = 0.9               // of the score that a message keeps which was taken back
	rerankDepth   = 32                // best hits whose words are looked at for how near they stand to each other
	nearest       = 0.6               // what a hit gains at most for that
	inOrder       = 1.2               // nearness is worth so much more where the words stand in the order of the question
	maxMatches    = 32                // places of each word that are looked at in a text
)

// The loosest tier: how much is looked at. A hundred conversations by their words, and of those the first twenty by
// their text: a thousand find no more right answers.
const (
	anyConversations = 100
	anyRead          = 20
	anyCompared      = 12      // compared letter by letter. Deeper is worse: what all of the first have in common says nothing
	anyBytes         = 4 << 10 // of each message that are compared
	commonShare      = 0.2     // words in more of the messages than this choose no conversation alone
)

// The loosest tier: what things are worth. In points of first hits: neighbours 1 to 2, the conversation as a whole 1,
// words near each other 0.5 to 1, likeness of letters 1 to 2, names 0.5, times 3 (a quarter of a hundred points for the
// questions that have one). The inverse frequency of a word is the root of that in messages times that in
// conversations, worth 1 point.
var neighbourShare = [...]float32{1, 0.7, 0.35} // of a message's words, its neighbours', and theirs

const (
	conversationPart = 0.8  // what the conversation as a whole adds to its best message; 0.5 to 1.5 is as good
	nameWeight       = 1.25 // of a word with a capital inside the question; up to 2 is as good
	coveragePower    = 0.2  // of the share of the question's words that a message has
	pairShare        = 0.5  // of the rarer one's weight for two words in a row with at most one word between
	closeShare       = 0.3  // for two with at most four between, in any order
	likenessShare    = 0.5  // of the best score for the text most like the question; 0.8 is better in small archives, worse in large
	likenessNext     = 0.5  // of a message's likeness, its neighbours'
	likenessCommon   = 0.4  // of a run of letters that is from words which say nothing: 0 and 1 are worse
)

// Times in a question: how many days from the asked time a conversation may be and still count, less with every day, and
// what it gets next to that time. Inside it gets all of the best score. People write about a day after it rather than
// before.
const (
	daysAfter  = 10
	daysBefore = 5
	afterBest  = 0.5
	beforeBest = 0.25
)

// An answer of the loosest tier is weak where it has too little of what was asked. What counts is the share of the
// words' inverse frequency that stands in the best hit. A name that stands nowhere counts more than another word: there are
// other words for "slow", none for "Azure". The more messages there are, the more words stand together by chance: at 500
// messages a share of 0.16 flags seven of eight questions without an answer and one of forty with one, at 70,000 one of 0.25
// does.
const (
	weakShare   = 0.16 // at weakFrom messages or fewer
	weakGrowth  = 0.04 // more for ten times as many
	weakFrom    = 500
	weakMost    = 0.26
	unknownName = 3   // what a name counts that is nowhere, in the place of 1
	wholeShare  = 0.5 // of an identifier or a path that is all of the question
)
