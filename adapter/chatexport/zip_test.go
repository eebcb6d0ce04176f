package chatexport

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"lore/adapter"
)

const claudeChat = `[{"uuid":"c","name":"","chat_messages":[{"uuid":"m","sender":"human","text":"hello"}]}]`

// zipped makes a zip of files, in memory.
func zipped(t *testing.T, files ...string) *zip.Reader {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// found lists what Find yields in a zip, for either product.
func found(t *testing.T, z *zip.Reader) []string {
	t.Helper()
	var list []string
	for _, root := range New().Info().Roots {
		for src, err := range New().Find(context.Background(), adapter.Place{Root: root, FS: z, Name: "~/export.zip"}) {
			if err != nil {
				t.Fatal(err)
			}
			line := src.Product + " " + src.Path
			for _, c := range src.Companions {
				line += " " + c
			}
			list = append(list, line)
		}
	}
	return list
}

func TestFindInZip(t *testing.T) {
	gpt := "[" + chat("a", "a1") + "]"
	cases := []struct {
		name  string
		files []string
		want  []string
	}{
		{"chatgpt", []string{"conversations.json", gpt, "user.json", "{}", "chat.html", "<p>", "file-A1-x.png", "png", "dalle-generations/file-B2-y.webp", "webp"},
			[]string{"chatgpt conversations.json file-A1-x.png dalle-generations/file-B2-y.webp"}},
		{"split", []string{"conversations-000.json", gpt, "conversations-001.json", gpt, "shared_conversations.json", gpt},
			[]string{"chatgpt conversations-000.json", "chatgpt conversations-001.json"}},
		{"in a folder", []string{"export/conversations.json", claudeChat, "export/projects.json", claudeChat, "export/deep/conversations.json", claudeChat},
			[]string{"claude-ai export/conversations.json"}},
		{"a file a conversation", []string{"quay.json", chat("a", "a1"), "package.json", `{"name":"x"}`, "conversations/b.json", chat("b", "b1")},
			[]string{"chatgpt conversations/b.json", "chatgpt quay.json"}},
		{"of neither", []string{"conversations.json", `[{"messages":[]}]`}, nil},
		{"empty", []string{"conversations.json", ``}, []string{"chatgpt conversations.json"}},
	}
	for _, x := range cases {
		t.Run(x.name, func(t *testing.T) {
			if diff := cmp.Diff(x.want, found(t, zipped(t, x.files...))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// said reads a file and lists what is said in it: role, parts, and whether it is active; then losses and units.
func said(t *testing.T, product, text string) ([]string, error) {
	t.Helper()
	in := adapter.Input{FS: fstest.MapFS{"conversations.json": {Data: []byte(text)}}, Place: "~"}
	in.Source = adapter.Source{Product: product, Path: "conversations.json", Store: storeExport}
	var list []string
	for c, err := range New().Read(context.Background(), in) {
		if err != nil {
			return list, err
		}
		for i := range c.Messages {
			m := &c.Messages[i]
			line := string(m.Role)
			if m.Subtype != "" {
				line += " " + m.Subtype
			}
			if !m.Active {
				line += " inactive"
			}
			if m.Native != "" {
				line += " " + m.Native
			}
			for _, p := range m.Parts {
				line += " | " + string(p.Kind) + " " + p.Name + " " + p.Text
			}
			list = append(list, line)
		}
		for _, l := range c.Losses {
			list = append(list, string(l.Code)+": "+l.What)
		}
	}
	return list, nil
}

func TestReadTellsTheProduct(t *testing.T) {
	if _, err := said(t, sourceGPT, claudeChat); !errors.Is(err, adapter.ErrNotMine) {
		t.Errorf("got %v, want ErrNotMine", err)
	}
	got, err := said(t, "", claudeChat)
	if diff := cmp.Diff([]string{"user m | text  hello"}, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%s%v", diff, err)
	}
}

// TestBadJSONKeepsTheOthers has a conversation that is cut in the middle of the file, and one at the end of it.
func TestBadJSONKeepsTheOthers(t *testing.T) {
	b := chat("b", "b1", "b2")
	got, err := said(t, sourceGPT, "["+chat("a", "a1")+","+b[:len(b)-40]+","+chat("c", "c1")+","+b[:60])
	want := []string{
		"user a1 | text  says a1",
		"user b1 | text  says b1",
		"user c1 | text  says c1",
		"bad_json: element 2: its messages up to there are kept",
		"bad_json: element 4: the file ends in it; lost",
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%s%v", diff, err)
	}
}

func TestNothingDecodes(t *testing.T) {
	got, err := said(t, sourceGPT, `[{"title":"x","mapping":{"a`)
	if !errors.Is(err, adapter.ErrMalformed) {
		t.Errorf("got %v and %v, want ErrMalformed", got, err)
	}
}

// TestParentNowhere has a message whose parent is in no node: the one before it stands in.
func TestParentNowhere(t *testing.T) {
	text := chat("a", "a1", "a2", "a3")
	got, err := said(t, sourceGPT, text[:len(text)-1]+`,"current_node":"a3"}`)
	want := []string{"user a1 | text  says a1", "user a2 | text  says a2", "user a3 | text  says a3"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%s%v", diff, err)
	}
	got, err = said(t, sourceGPT, string(bytes.Replace([]byte(text), []byte(`"parent":"a1"`), []byte(`"parent":"zz"`), 1)))
	want = append(want, "missing_parent: messages whose parent is not there in element 1")
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%s%v", diff, err)
	}
}

func TestTheSameConversationTwice(t *testing.T) {
	a := chat("a", "a1")
	got, err := said(t, sourceGPT, "["+a+","+a+"]")
	want := []string{"user a1 | text  says a1", "duplicate_line: conversations that stand there twice"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%s%v", diff, err)
	}
}
