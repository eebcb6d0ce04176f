package cursor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// oneChat reads the chats of a global database of these rows.
func oneChat(t *testing.T, kv ...row) []*lore.Conversation {
	t.Helper()
	home := t.TempDir()
	stateDB(t, filepath.Join(home, userDir, globalDir, stateFile), kv, nil)
	return readHome(t, home, userDir)
}

// head is the row of a chat whose list names bubbles.
func head(fields string, ids ...string) row {
	list := ""
	for i, id := range ids {
		if i > 0 {
			list += ","
		}
		list += fmt.Sprintf(`{"bubbleId":%q}`, id)
	}
	return row{"composerData:c", `{"_v":9,"createdAt":1772442000000` + fields + `,"fullConversationHeadersOnly":[` + list + `]}`}
}

func bubbleRow(id, value string) row { return row{"bubbleId:c:" + id, value} }

// TestAcceptance has a row for each sample that every format is tested with.
func TestAcceptance(t *testing.T) {
	tests := []struct {
		name string
		rows []row
		want []string
	}{
		{"plain text", []row{head("", "u", "a"), bubbleRow("a", `{"type":2,"text":"yes"}`), bubbleRow("u", `{"type":1,"text":"lit?"}`)},
			[]string{`user u text"lit?"`, `assistant a text"yes"`}},
		{"tool only", []row{head("", "a"), bubbleRow("a", `{"type":2,"text":"","toolFormerData":{"name":"ls","toolCallId":"1","rawArgs":"not json","result":"x","status":"error"}}`)},
			[]string{`assistant a call[ls]"not json"`, `tool tool:a result[ls]!"x"`}},
		{"tool without a name or a result", []row{head("", "a", "b"), bubbleRow("a", `{"type":2,"toolFormerData":{"tool":5,"params":"{\"p\":1}","rawArgs":"","status":"started"}}`),
			bubbleRow("b", `{"type":2,"toolFormerData":{"additionalData":{"status":"error"}}}`)},
			[]string{`assistant a call"{\"p\":1}"`, `assistant b text""`}},
		{"thinking only", []row{head("", "a", "b", "c", "d"), bubbleRow("a", `{"type":2,"thinking":"as a string"}`), bubbleRow("b", `{"type":2,"thinking":{"text":"as an object"}}`),
			bubbleRow("c", `{"type":2,"allThinkingBlocks":[{"thinking":"in"},{"text":"a list"}]}`), bubbleRow("d", `{"type":2,"thinking":{"text":"","signature":"s"}}`)},
			[]string{`assistant a thinking"as a string"`, `assistant b thinking"as an object"`, `assistant c thinking"in" thinking"a list"`, `assistant d thinking?""`}},
		{"mixed", []row{head("", "a"), bubbleRow("a", `{"type":2,"toolFormerData":{"name":"ls","rawArgs":"{}","result":""},"text":"words","thinking":"first"}`)},
			[]string{`assistant a thinking"first" text"words" call[ls]"{}"`}},
		{"empty answer", []row{head("", "a"), bubbleRow("a", `{"type":2}`)}, []string{`assistant a text""`}},
		{"duplicate text", []row{head("", "u", "v"), bubbleRow("u", `{"type":1,"text":"go on"}`), bubbleRow("v", `{"type":1,"text":"go on"}`)},
			[]string{`user u text"go on"`, `user v text"go on"`}},
		{"bad JSON", []row{head("", "u", "v"), bubbleRow("u", `{"type":1`), bubbleRow("v", `{"type":1,"text":"good"}`)}, []string{`user v text"good"`}},
		{"unknown version", []row{head(`,"_v":77`, "u"), bubbleRow("u", `{"_v":44,"type":1,"text":"from the future"}`)}, []string{`user u text"from the future"`}},
		{"nudge", []row{head("", "u"), bubbleRow("u", `{"type":1,"isNudge":true,"text":"continue"}`)}, []string{`system u (notice) text"continue"`}},
		{"older fields", []row{head("", "u", "v"), bubbleRow("u", `{"type":1,"text":" ","richText":"{\"root\":{\"children\":[]}}","initText":"plain"}`), bubbleRow("v", `{"type":2,"rawText":"raw"}`)},
			[]string{`user u text"plain"`, `assistant v text"raw"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { same(t, tt.want, shown(oneChat(t, tt.rows...)[0])) })
	}
}

// TestCU03AbsentAndBrokenRows: a broken row is one damaged unit that names its key, and the others are read.
func TestCU03AbsentAndBrokenRows(t *testing.T) {
	list := oneChat(t, head("", "b1", "b2", "b3"), bubbleRow("b1", `{"type":1,"text":"plant"}`), bubbleRow("b2", ""), bubbleRow("b3", "null"),
		row{"composerData:null", nil}, row{"composerData:broken", `{"composerId":`})
	var got []string
	for _, c := range list {
		got = append(got, fmt.Sprintf("%q %v %v %q", c.Native, c.Partial, counts(c), codes(c)))
	}
	same(t, []string{
		`"" true [1 0 0 0 0 1] ["bad_json cursorDiskKV/composerData:broken 1"]`,
		`"c" false [4 2 0 2 0 0] ["absent_value cursorDiskKV/bubbleId:c:b2 2" "missing_row cursorDiskKV/bubbleId:c:b2 2"]`,
		`"" true [1 0 0 1 0 0] ["absent_value cursorDiskKV/composerData:null 1"]`,
	}, got)
}

// TestCU04TheListOrdersBubbles: the order of rows and of times means nothing; what the list leaves out is inactive.
func TestCU04TheListOrdersBubbles(t *testing.T) {
	at := `,"createdAt":"2026-03-02T09:01:00.000Z"}`
	c := oneChat(t, head("", "b1", "b2", "b9", "b3"), bubbleRow("b3", `{"type":1,"text":"third"`+at), bubbleRow("b1", `{"type":1,"text":"first"`+at),
		bubbleRow("b7", `{"type":2,"text":"abandoned"`+at), bubbleRow("b2", `{"type":2,"text":"second"`+at))[0]
	same(t, []string{`user b1 text"first"`, `assistant b2 text"second"`, `user b3 text"third"`, `assistant b7 inactive text"abandoned"`}, shown(c))
	same(t, []string{"missing_row cursorDiskKV/bubbleId:c:b9 1"}, codes(c))
}

// TestAbandonedBubblesStandWhereTheyWereWritten: behind the last bubble of the list that is not younger.
func TestAbandonedBubblesStandWhereTheyWereWritten(t *testing.T) {
	c := oneChat(t, head("", "a", "z"), bubbleRow("a", `{"type":1,"text":"a","createdAt":1772442001000}`), bubbleRow("m", `{"type":2,"text":"m","createdAt":1772442002000}`),
		bubbleRow("z", `{"type":1,"text":"z","createdAt":1772442003000}`), bubbleRow("n", `{"type":2,"text":"undated"}`))[0]
	same(t, []string{`user a text"a"`, `assistant m inactive text"m"`, `user z text"z"`, `assistant n inactive text"undated"`}, shown(c))
}

// TestCU05MissingTimes: a time comes from the bubble before, or from the chat, and is marked so.
func TestCU05MissingTimes(t *testing.T) {
	times := func(rows ...row) (list []string) {
		for _, m := range oneChat(t, rows...)[0].Messages {
			list = append(list, m.At.String()+" "+string(m.AtFrom))
		}
		return list
	}
	same(t, []string{"2026-03-02T09:00:00.000Z inherited", "2026-03-02T09:01:00.000Z source", "2026-03-02T09:02:00.000Z source", "2026-03-02T09:02:00.000Z inherited"},
		times(head(`,"lastUpdatedAt":1772445600000`, "a", "b", "c", "d"), bubbleRow("a", `{"type":1,"text":"a"}`), bubbleRow("b", `{"type":2,"text":"b","createdAt":"2026-03-02T09:01:00.000Z"}`),
			bubbleRow("c", `{"type":2,"text":"c","createdAt":1772442120000}`), bubbleRow("d", `{"type":2,"text":"d","timingInfo":{"clientStartTime":3200.5}}`)))
	same(t, []string{"2026-03-02T09:00:00.000Z inherited", "2026-03-02T10:00:00.000Z inherited"},
		times(head(`,"lastUpdatedAt":1772445600000`, "a", "b"), bubbleRow("a", `{"type":1,"text":"a"}`), bubbleRow("b", `{"type":2,"text":"b"}`)))
}

// TestLostHead: bubbles whose chat has lost its list, or its row, are a chat all the same.
func TestLostHead(t *testing.T) {
	for _, lost := range []row{{"composerData:c", nil}, head(""), {"other", ""}} {
		c := oneChat(t, lost, bubbleRow("b", `{"type":2,"text":"later","createdAt":1772442060000}`), bubbleRow("a", `{"type":1,"text":"sooner","createdAt":1772442000000}`))[0]
		same(t, []string{`user a text"sooner"`, `assistant b text"later"`}, shown(c))
		if got := codes(c); !strings.Contains(strings.Join(got, " "), string(lore.MissingHeader)) {
			t.Errorf("%q: no loss tells that the list is lost: %q", lost.key, got)
		}
	}
}

// TestModelsOfBubbles: the model that a chat was last set to stands only where no bubble names one.
func TestModelsOfBubbles(t *testing.T) {
	models := func(second string) (list []string) {
		c := oneChat(t, head(`,"modelConfig":{"modelName":"bright-2"}`, "a", "b"), bubbleRow("a", `{"type":2,"text":"a"}`), bubbleRow("b", `{"type":2,"text":"b"`+second+`}`))[0]
		for _, m := range c.Messages {
			list = append(list, m.Model)
		}
		return list
	}
	same(t, []string{"bright-2", "bright-2"}, models(""))
	same(t, []string{"", "bright-1"}, models(`,"modelInfo":{"modelName":"bright-1"}`))
	same(t, []string{"bright-2", "bright-2"}, models(`,"modelInfo":{"modelName":"default"}`))
}

// TestHeadersTable: newer versions keep the heads in a table; they are facts.
func TestHeadersTable(t *testing.T) {
	home := t.TempDir()
	name := filepath.Join(home, userDir, globalDir, stateFile)
	stateDB(t, name, nil, nil)
	db := newDB(t, name)
	run(t, db, "CREATE TABLE composerHeaders (composerId TEXT PRIMARY KEY, isArchived INTEGER, value TEXT)")
	run(t, db, "INSERT INTO composerHeaders VALUES ('h', 1, ?)", `{"type":"head","composerId":"h","name":"In a table","subagentInfo":{"parentComposerId":"p"},"workspaceIdentifier":{"configPath":{"fsPath":"/proj/x.code-workspace"}}}`)
	db.Close()
	list := readHome(t, home, userDir)
	want := &lore.Conversation{Source: source, Store: storeGlobal, Native: "h", Partial: true, Title: "In a table", TitleFrom: lore.TitleFromSource, Archived: true,
		Project: lore.Project{Dir: "/proj/x.code-workspace", Name: "x.code-workspace"}, Parent: &lore.Parent{Native: "p"}, Ledger: lore.Ledger{Units: 1, Kept: 1}}
	same(t, []*lore.Conversation{want}, list)
}

// TestPartsReadAlike: the rows that are kept of each part give what the database itself does.
func TestPartsReadAlike(t *testing.T) {
	home := globalHome(t)
	fsys := os.DirFS(filepath.Join(home, userDir))
	var src adapter.Source
	for s, err := range New().Find(context.Background(), adapter.Place{Root: adapter.Root{Source: source, Path: userDir}, FS: fsys, Name: "~/" + userDir}) {
		if err != nil {
			t.Fatal(err)
		}
		src = s
	}
	tell := func(list []*lore.Conversation) (lines []string) {
		for _, c := range list {
			lines = append(lines, fmt.Sprintf("%q %q %v %q %v %v", c.Native, c.Place, c.Partial, c.Title, counts(c), codes(c)))
			lines = append(lines, shown(c)...)
		}
		return lines
	}
	var parts []*lore.Conversation
	for _, part := range []string{partItems, "c1", "c2", "c3", "c4", "c5", "c6", partBlobs} {
		got, err := drain(keepPart(t, home, userDir, src, part))
		if err != nil {
			t.Fatalf("%s: %v", part, err)
		}
		parts = append(parts, got...)
	}
	same(t, tell(readHome(t, home, userDir)), tell(parts))
}

// TestCU22NoRangeHoldsSecrets: logins stand in the same tables, and in none of the ranges.
func TestCU22NoRangeHoldsSecrets(t *testing.T) {
	for _, key := range []string{"cursorAuth/accessToken", `secret://{"key":"x"}`, "github.auth", "workbench.state"} {
		for _, r := range stateRanges(true) {
			if r.Table == tableItems && key >= r.From && (key == r.From || key < r.To) {
				t.Errorf("%q is in the range %+v", key, r)
			}
		}
		if part := split(true).Of(tableItems, key); part != "" {
			t.Errorf("%q is in the part %q", key, part)
		}
	}
}

// TestSplit: every key of the ranges has the part whose ranges hold it.
func TestSplit(t *testing.T) {
	tests := []struct{ table, key, part string }{
		{tableKV, "composerData:c", "c"}, {tableKV, "bubbleId:c:b:x", "c"}, {tableKV, "agentKv:blob:aa", partBlobs}, {tableKV, "checkpointId:c:k", ""},
		{tableKV, "bubbleId:c", ""}, {tableItems, itemPrompts, partItems}, {tableItems, "other", ""}, {tableHeaders, "c", partItems}, {"other", "c", ""},
	}
	for _, tt := range tests {
		part := split(true).Of(tt.table, tt.key)
		if part != tt.part {
			t.Errorf("%s/%s: part %q, want %q", tt.table, tt.key, part, tt.part)
		}
		held := part == ""
		for _, r := range split(true).Ranges(part) {
			held = held || r.Table == tt.table && (r.From == "" && r.To == "" || tt.key == r.From || tt.key >= r.From && tt.key < r.To)
		}
		if !held {
			t.Errorf("%s/%s: no range of its part holds it", tt.table, tt.key)
		}
	}
	if part := split(false).Of(tableKV, "agentKv:blob:aa"); part != "" {
		t.Errorf("blobs that are not read have the part %q", part)
	}
}

// TestForeignDatabases: neither another database nor a broken one is a history.
func TestForeignDatabases(t *testing.T) {
	dir := t.TempDir()
	db := newDB(t, filepath.Join(dir, globalDir, stateFile))
	run(t, db, "CREATE TABLE other (id TEXT PRIMARY KEY)")
	db.Close()
	read := func() error {
		fsys := os.DirFS(dir)
		src := adapter.Source{Product: source, Store: storeGlobal, Path: globalDir + "/" + stateFile, Ranges: stateRanges(true)}
		_, err := drain(adapter.Input{Source: src, FS: fsys, Place: "~/x"})
		return err
	}
	if err := read(); !isNotMine(err) {
		t.Errorf("other tables: %v", err)
	}
	write(t, filepath.Join(dir, globalDir, stateFile), "no database at all")
	if err := read(); err == nil || isNotMine(err) {
		t.Errorf("no database: %v", err)
	}
}

func TestRichText(t *testing.T) {
	tests := map[string]string{
		`{"root":{"children":[{"type":"paragraph","children":[{"type":"text","text":"a"}]},{"type":"paragraph","children":[{"type":"text","text":"b"}]}]}}`:                                "a\nb",
		`{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"a"},{"type":"hardBreak"},{"type":"text","text":"b"}]}]}`:                                           "a\nb",
		`{"root":{"children":[{"type":"list","children":[{"type":"listitem","children":[{"type":"text","text":"one"}]},{"type":"listitem","children":[{"type":"text","text":"two"}]}]}]}}`: "one\ntwo",
	}
	for in, want := range tests {
		v, err := new(kit.Doc).Parse(lore.AppendJSON(nil, in))
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := richText(new(kit.Doc), v); !ok || got != want {
			t.Errorf("%s: %q, %v", in, got, ok)
		}
	}
	for _, in := range []string{"", "plain", "{", `{"a":1}`, "[1]"} {
		v, _ := new(kit.Doc).Parse(lore.AppendJSON(nil, in))
		if got, ok := richText(new(kit.Doc), v); ok {
			t.Errorf("%q is taken for rich text: %q", in, got)
		}
	}
}
