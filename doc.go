// Package lore is the record at the centre of the program: what a conversation with a coding agent is, whoever wrote it
// down. It holds data and the rules that make two records the same thing; it reads no file, opens no database and knows
// no agent. Everything else in the module imports this package and nothing here imports the rest.
//
// Words: a source is an agent product, a store one of its places, evidence the bytes that a store holds. A conversation
// has messages, a message has parts. A unit is the smallest thing a source writes (a line, a row); the ledger accounts
// for every one of them, and a loss names each that is not in the record as it was.
//
// Strings in a record are UTF-8 with one exception: a lone UTF-16 surrogate that a source wrote as an escape stands as
// its three-byte form, so that it can be written back. An invalid byte in the source is one U+FFFD here; the bytes
// themselves stay in the archive.
package lore
