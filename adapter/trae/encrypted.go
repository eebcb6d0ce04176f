package trae

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// The encrypted database below a root, and the folder in which each of its sessions has one of its own.
const (
	encryptedFile = "ModularData/ai-agent/database.db"
	snapshotDir   = "ModularData/ai-agent/snapshot"
)

func isEncryptedPlace(name string) bool { return strings.HasSuffix("/"+name, "/"+encryptedFile) }

var sqliteMagic = []byte("SQLite format 3\x00")

// isPlain reports whether a file begins as a database that is not encrypted.
func isPlain(fsys fs.FS, path string) (bool, error) {
	f, err := fsys.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, len(sqliteMagic))
	if _, err = io.ReadFull(f, head); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return false, nil
	}
	return bytes.Equal(head, sqliteMagic), err
}

// readEncrypted says that a database cannot be read: in the record, and as the error that ends it.
func readEncrypted(in adapter.Input, yield yielder) error {
	plain, err := isPlain(in.FS, in.Source.Path)
	if err != nil {
		return err
	}
	if plain {
		return fmt.Errorf("a plain database, which no version known wrote there: %w", adapter.ErrNotMine)
	}
	l := losses{file: in.Name(in.Source.Path)}
	l.one(lore.EncryptedStore, lore.Error, "", "the chats of newer versions of Trae, in an SQLCipher database")
	c := &lore.Conversation{Source: source, Store: storeEncrypted, Partial: true, Losses: l.list}
	c.Ledger.Damage(1)
	if !yield(c, nil) {
		return kit.ErrStopped
	}
	return fmt.Errorf("%w: the store is encrypted (SQLCipher, by newer versions of Trae); only Trae has the key, export what you need from there",
		adapter.ErrMalformed)
}
