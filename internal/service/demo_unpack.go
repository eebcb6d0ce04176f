package service

import (
	"database/sql"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	_ "modernc.org/sqlite" // the samples of databases are made here
)

// configName is the folder among the samples that stands for the one where the system keeps settings of programs.
const configName = "config"

// configFolder is where desktop programs keep their settings, below the home.
func configFolder(goos string) string {
	switch goos {
	case "darwin":
		return filepath.Join("Library", "Application Support")
	case "windows":
		return filepath.Join("AppData", "Roaming")
	}
	return ".config"
}

// unpack writes the samples below home. A file that ends in .sql becomes the database that its statements make: a
// reader of this repository sees what is in it.
func unpack(home string) error {
	tree, err := fs.Sub(samples, "demo")
	if err != nil {
		return fmt.Errorf("samples: %w", err)
	}
	return fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		path := filepath.Join(home, filepath.FromSlash(name))
		if rest, is := strings.CutPrefix(name, configName+"/"); is {
			path = filepath.Join(home, configFolder(runtime.GOOS), filepath.FromSlash(rest))
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if database, is := strings.CutSuffix(path, ".sql"); is {
			return makeDatabase(database, string(content))
		}
		return os.WriteFile(path, content, 0o600)
	})
}

func makeDatabase(path, statements string) error {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Exec(statements); err != nil {
		return fmt.Errorf("%q: %w", path, err)
	}
	return nil
}
