package cline

import (
	"path"
	"slices"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// facts are what a list of tasks, or the note of a task, says of it.
type facts struct {
	id, title, dir, parent, model string
	last                          lore.Time // when the task was last worked on
}

func factsOf(v kit.Value) facts {
	text := func(keys ...string) string {
		for _, key := range keys {
			if s := v.Get(key).String(); s != "" {
				return s
			}
		}
		return ""
	}
	f := facts{id: text("id"), title: headline(text("task", "title")), parent: text("parentTaskId", "parentId"), model: text("model", "modelId")}
	f.dir = text("cwdOnTaskInitialization", "workspace", "cwd")
	f.last, _ = kit.ParseTime(v.Get("ts"))
	return f
}

// headline is the first line of a task: the list holds all of its words.
func headline(task string) string {
	for line := range strings.Lines(task) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			return kit.Clip(line)
		}
	}
	return ""
}

// describe fills what the facts say into a record.
func (f *facts) describe(c *lore.Conversation) {
	if f.title != "" {
		c.Title, c.TitleFrom, c.TitleAt = f.title, lore.TitleFromSource, f.last
	}
	c.Project = lore.Project{Dir: f.dir, Name: kit.ProjectName(f.dir)}
	if f.parent != "" {
		c.Kind, c.Parent = lore.Subagent, &lore.Parent{Native: f.parent}
	}
}

// readTasks reads a list of tasks: facts about conversations that stand elsewhere.
func readTasks(in adapter.Input, l *list, losses *kit.Tally, yield yielder) error {
	var rest lore.Ledger
	rest.Damage(l.damaged)
	for i := range l.elements {
		v := l.value(i)
		l.flaws(losses)
		entries := []kit.Value{v}
		if list := v.Get("entries"); l.single && list.IsArray() { // the index of newer versions
			entries = slices.Collect(list.Items())
		}
		for _, v := range entries {
			f := factsOf(v)
			if f.id == "" {
				rest.Meet("entry without id")
				losses.Unknown(0, "entry without id")
				continue
			}
			c := &lore.Conversation{Source: in.Source.Product, Store: store, Native: f.id, Partial: true}
			f.describe(c)
			c.Ledger.Keep(1)
			if !yield(c, nil) {
				return kit.ErrStopped
			}
		}
	}
	if len(l.elements) == 0 {
		losses.One(lore.Empty, lore.Info, 0, "no tasks")
	}
	if lost := losses.List(); rest.Units > 0 || len(lost) > 0 {
		if !yield(&lore.Conversation{Source: in.Source.Product, Store: store, Partial: true, Ledger: rest, Losses: lost}, nil) {
			return kit.ErrStopped
		}
	}
	return nil
}

// used says from when on a model answered.
type used struct {
	model string
	since int64
}

// maxFacts bounds the files beside a task.
const maxFacts = 16 << 20

// companions reads what stands beside a task's file.
func (t *task) companions() {
	for _, p := range t.in.Source.Companions {
		base := path.Base(p)
		if base == rowsFile {
			t.beside(p)
			continue
		}
		t.losses.In(t.in.Name(p))
		doc, err := kit.Document(t.in, p, maxFacts)
		if err != nil {
			t.ledger.Damage(1)
			t.losses.One(lore.BadJSON, lore.Warning, 0, "it cannot be read")
			continue
		}
		t.more = append(t.more, doc.Losses...)
		switch {
		case base == metaFile:
			t.metadata(doc.Value)
		case doc.Value.IsObject():
			t.facts = factsOf(doc.Value)
			t.ledger.Keep(1)
		default:
			t.ledger.Skip(base)
		}
	}
	switch {
	case t.id == "":
		t.id = t.facts.id
	case t.facts.id != "" && t.facts.id != t.id:
		t.losses.One(lore.IDMismatch, lore.Info, 0, "the note is of task "+kit.Clip(t.facts.id))
	}
}

// beside opens the rows of the screen that stand beside the requests.
func (t *task) beside(p string) {
	l, err := openList(t.in, p, t.losses)
	if err != nil {
		t.ledger.Damage(1)
		t.losses.One(lore.BadJSON, lore.Warning, 0, "it cannot be read")
		return
	}
	t.rows = l
}

func (t *task) metadata(v kit.Value) {
	for u := range v.Get("model_usage").Items() {
		since, ok := u.Get("ts").Int()
		if model := u.Get("model_id").String(); ok && model != "" {
			t.used = append(t.used, used{model: model, since: since})
		}
	}
	if len(t.used) > 0 {
		t.ledger.Keep(1)
	} else {
		t.ledger.Skip(metaFile)
	}
}
