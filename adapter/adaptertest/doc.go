// Package adaptertest is the contract that every adapter passes. An adapter's test file is
//
//	func TestContract(t *testing.T) { adaptertest.Run(t, New(), adaptertest.Options{}) }
//	func FuzzRead(f *testing.F)     { adaptertest.Fuzz(f, New()) }
//
// and one regression test for each fault that its format is known for.
//
// Test data stands in testdata/CASE/home, a tree like a user's home folder: the roots of the adapter's Info are looked
// for in it. What the adapter finds and reads there is compared with testdata/CASE/golden.json, in the record's own
// JSON, one message a line; `go test -update` writes it. Read a golden before it is committed: it is the statement of
// what is right. Times of files are one fixed day.
//
// The suite then reads the same evidence in other ways (again, in small pieces, moved, touched, from disk, cut, damaged,
// with lines appended) and wants ids, ledger, losses and places to hold. It knows no format; nothing here may be made to
// fit one adapter.
package adaptertest
