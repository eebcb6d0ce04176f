package cursor

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"lore/adapter"
	"lore/adapter/kit"
)

// shape is what sort of evidence it is.
type shape uint8

const (
	shapeForeign shape = iota
	shapeState         // a database of the editor
	shapeChat          // a database of cursor-agent
	shapeLines         // a transcript as JSON lines
	shapeList          // a transcript as one array
	shapeText          // a transcript as text
	shapePrompts       // prompt_history.json
)

// topKeys are the keys that stand first in a record of a transcript: where reading goes on after damage.
var topKeys = []string{"role", "type", "timestamp", "event", "message"}

// shapeOf tells what an evidence is: by its store when Find has found it, else by its name and how it begins.
func shapeOf(ctx context.Context, in adapter.Input) (shape, error) {
	switch in.Source.Store {
	case storeGlobal, storeWorkspace, storeInline:
		return shapeState, nil
	case storeCLI:
		return shapeChat, nil
	case storePrompts:
		return shapePrompts, nil
	case storeTranscripts:
		return shapeOfName(in.Source.Path), nil
	}
	return sniff(ctx, in)
}

func shapeOfName(p string) shape {
	switch path.Ext(p) {
	case ".json":
		return shapeList
	case ".txt":
		return shapeText
	}
	return shapeLines
}

// settle fills in what a user who named a file did not say.
func settle(in adapter.Input, s shape) adapter.Input {
	in.Source.Product = source
	switch {
	case in.Source.Store != "":
	case s == shapePrompts:
		in.Source.Store = storePrompts
	case s == shapeState:
		in.Source.Store = storeGlobal
	default:
		in.Source.Store = storeTranscripts
	}
	return in
}

// sniff looks at the beginning of a file that a user named.
func sniff(ctx context.Context, in adapter.Input) (shape, error) {
	switch ext := path.Ext(in.Source.Path); ext {
	case ".jsonl":
		return sniffLines(in)
	case ".json", ".txt":
		head, err := headOf(in, 16<<10)
		if err != nil {
			return shapeForeign, err
		}
		if ext == ".txt" {
			return sniffText(head)
		}
		return sniffList(in, head)
	}
	return sniffDatabase(ctx, in)
}

// sniffDatabase knows a database of the editor by the table that no other program has. Those with settings alone, and
// chats of the command line, are read where Find has found them.
func sniffDatabase(ctx context.Context, in adapter.Input) (shape, error) {
	found := shapeForeign
	if kit.IsDatabase(in.FS, in.Source.Path) {
		_ = kit.ReadDatabase(ctx, in.FS, in.Source.Path, func(db *kit.Database) error { // one that is damaged is nobody's
			if slices.Contains(db.Tables(), tableKV) {
				found = shapeState
			}
			return nil
		})
	}
	if found == shapeForeign {
		return found, adapter.ErrNotMine
	}
	return found, nil
}

func headOf(in adapter.Input, size int) ([]byte, error) {
	f, err := in.FS.Open(in.Source.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, size)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return bytes.TrimLeft(bytes.TrimPrefix(head[:n], bom), " \t\r\n\x00"), nil
}

// bom is the byte order mark in UTF-8.
var bom = []byte("\xef\xbb\xbf")

// sniffLines looks at the first records: {role, message: {content}} without the ids that other tools write.
func sniffLines(in adapter.Input) (shape, error) {
	const most = 16
	lines, err := kit.OpenLines(in, in.Source.Path, kit.Options{TopKeys: topKeys})
	if err != nil {
		return shapeForeign, err
	}
	defer lines.Close()
	n := 0
	for r := range lines.All() {
		if isTurn(r.Value) {
			return shapeLines, nil
		}
		if n++; n == most || !isNotice(r.Value) {
			break
		}
	}
	if err := lines.Err(); err != nil {
		return shapeForeign, err
	}
	return shapeForeign, adapter.ErrNotMine
}

// isTurn reports whether a record can only be a turn of a transcript.
func isTurn(v kit.Value) bool {
	for _, foreign := range []string{"type", "uuid", "sessionId", "id", "parentId", "content", "seq"} {
		if v.Get(foreign).Exists() {
			return false
		}
	}
	return v.Get("role").IsString() && v.Get("message", "content").Exists()
}

// sniffList looks at how an array begins: with turns of a transcript, or, under its own name, with prompts.
func sniffList(in adapter.Input, head []byte) (shape, error) {
	rest, array := bytes.CutPrefix(head, []byte("["))
	rest = bytes.TrimLeft(rest, " \t\r\n")
	switch {
	case !array:
	case path.Base(in.Source.Path) == promptsFile && (bytes.HasPrefix(rest, []byte(`"`)) || bytes.HasPrefix(rest, []byte("]"))):
		return shapePrompts, nil
	case bytes.HasPrefix(rest, []byte(`{"role"`)) || bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(rest, []byte("{")), " \t\r\n"), []byte(`"role"`)):
		for _, field := range []string{`"content"`, `"parts"`, `"id"`} { // other tools'
			if at := bytes.Index(rest, []byte(field)); at >= 0 && at < firstElement(rest) {
				return shapeForeign, adapter.ErrNotMine
			}
		}
		return shapeList, nil
	}
	return shapeForeign, adapter.ErrNotMine
}

// firstElement returns where the first element of an array ends, as far as its head shows it.
func firstElement(head []byte) int {
	_, n, err := new(kit.Doc).ParsePrefix(head)
	if err != nil {
		return len(head)
	}
	return n
}

// sniffText wants a block of the person first, and the frame or an answer behind it.
func sniffText(head []byte) (shape, error) {
	begins := bytes.HasPrefix(head, []byte("user:\n")) || bytes.HasPrefix(head, []byte("user:\r\n"))
	if begins && (bytes.Contains(head, []byte(frameOpen)) || bytes.Contains(head, []byte("\nassistant:"))) {
		return shapeText, nil
	}
	return shapeForeign, adapter.ErrNotMine
}

// exists reports whether a file of the evidence is there.
func exists(in adapter.Input, name string) bool {
	info, err := fs.Stat(in.FS, name)
	return err == nil && info.Mode().IsRegular()
}

// stem returns the name of a file without its extension.
func stem(p string) string {
	base := path.Base(p)
	return strings.TrimSuffix(base, path.Ext(base))
}
