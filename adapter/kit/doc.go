// Package kit is what formats stand on: tolerant JSON over bytes that are never copied, JSON lines with the place of
// every record, times and paths as sources write them, embedded images by digest, and a walk over files that follows
// nothing out of its root.
//
// It knows how bytes go wrong (NUL runs, cut lines, two records on a line, bytes that are not UTF-8) and names each as a
// loss. It knows no source: which record means what is the adapter's business. It writes nothing, reads no clock and
// opens nothing but what the fs.FS it is given holds.
package kit
