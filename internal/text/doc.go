// Package text is the one analyser of the program: it cuts text into terms, and does so alike when a message is indexed
// and when a question is asked. It also checks a text for what a question asks literally, cuts snippets out of it, and
// makes a text safe for a terminal. It knows no index, no query language and no storage, and reads nothing but its
// arguments.
//
// A text is UTF-8 that may hold lone surrogates (three-byte form) and arbitrary control bytes; nothing here panics on any
// bytes, and positions are always byte offsets into the text as it was given.
//
// Terms. A word is a run of letters, digits and underscores. It gives one term for itself, folded (case, accents, width),
// and one for each of its pieces: getUserById gives getuserbyid, get, user, by, id; user_store gives user_store, user,
// store; v2 gives v2, 2. Everything else separates words, so paths, mails, versions and kebab-case give the terms of their
// words; whether the words stand together is then checked on the text (Matcher). Runs of Han, kana, hangul and of the
// scripts of South-East Asia that write without spaces give each character and each pair of neighbours. A pictograph is
// a term. Escape sequences of a terminal separate words and give nothing.
//
// Bounds. A term has at most MaxTerm bytes, so hashes of 40 and 64 digits stay whole; a longer word gives its head and a
// hash of all of it, one above 256 bytes gives nothing. Nothing comes from runs of 256 and more bytes that look like
// base64 either: no separators to speak of, and small letters, capitals and digits mixed. A random name is not cut into
// pieces. What has no term here can still be found by reading the bytes.
package text

// MaxTerm is the greatest length of a term in bytes.
const MaxTerm = 64
