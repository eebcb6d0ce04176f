package service_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"lore"
	"lore/internal/service"
)

// soakEnv says how long TestSoak goes on, as a duration; without it, it takes a few steps.
const soakEnv = "LORE_SOAK"

// soakSeedEnv is the seed of TestSoak; without it, a long one takes a new one.
const soakSeedEnv = "LORE_SOAK_SEED"

// soakKeepEnv is where the folders of a machine go on which TestSoak has failed; without it, they go away.
const soakKeepEnv = "LORE_SOAK_KEEP"

// soak is a machine, and a model of what lore has to know of it: of each word that a finished import has seen, where it
// stood and which id its message has. A word is said by one message and is never taken back, but by forgetting.
type soak struct {
	*machine
	r        *rand.Rand
	said     int                // words so far
	sessions map[int]*soakTalk  // by number
	known    map[string]int     // words that must be found → session
	ids      map[string]lore.ID // of their messages
	dead     map[string]bool    // words that must not be found
	gone     map[int]bool       // sessions that were forgotten
	log      []string
}

// soakTalk is a session as its agent has it on disk.
type soakTalk struct {
	n      int
	place  string // project folder
	words  []string
	onDisk bool
}

// TestSoak does random things to a machine, one after the other: an agent appends, cuts, rewrites, deletes and moves its
// files, imports run, die, meet each other, conversations are forgotten, the index is made anew, and all the while
// everything that was once imported has to be there, under the same id. `make soak` lets it go on for an hour.
func TestSoak(t *testing.T) {
	until, steps := time.Time{}, 25
	if text := os.Getenv(soakEnv); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		until, steps = time.Now().Add(d), 1<<30
	}
	seed := uint64(7)
	if !until.IsZero() {
		seed = uint64(time.Now().UnixNano())
		if text := os.Getenv(soakSeedEnv); text != "" { // what an earlier run did again
			seed, _ = strconv.ParseUint(text, 10, 64)
		}
		t.Logf("seed %d", seed)
	}
	s := newSoak(t, seed)
	for i := range steps {
		if !until.IsZero() && time.Now().After(until) {
			t.Logf("%d steps, %d words, %d forgotten", i, len(s.known), len(s.dead))
			break
		}
		if i%400 == 399 { // a fresh machine, so that no archive grows without end
			s.everything()
			s = newSoak(t, seed+uint64(i))
		}
		s.step()
		if t.Failed() {
			t.Fatalf("seed %d, step %d", seed, i)
		}
	}
	s.imports()
	s.everything()
	s.sound("in the end")
	if t.Failed() {
		t.Fatalf("seed %d", seed)
	}
}

func newSoak(t *testing.T, seed uint64) *soak {
	s := &soak{machine: newMachine(t), r: rand.New(rand.NewPCG(seed, 1)), sessions: map[int]*soakTalk{}, known: map[string]int{},
		ids: map[string]lore.ID{}, dead: map[string]bool{}, gone: map[int]bool{}}
	kept := false
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("after\n%s", strings.Join(s.log[max(0, len(s.log)-100):], "\n"))
			if to := os.Getenv(soakKeepEnv); to != "" && !kept {
				kept = true
				t.Log(os.CopyFS(filepath.Join(to, "lore"), os.DirFS(s.svc.Dir)), os.CopyFS(filepath.Join(to, "home"), os.DirFS(s.home)))
			}
		}
	})
	s.append()
	s.finished()
	return s
}

// step does one thing.
func (s *soak) step() {
	s.t.Helper()
	actions := []struct {
		weight int
		name   string
		do     func()
	}{
		{8, "append", s.append}, {2, "cut the end", s.cutEnd}, {2, "cut the head", s.cutHead}, {2, "delete", s.remove}, {1, "move", s.move},
		{1, "touch", s.touch}, {2, "half a line", s.halfLine}, {8, "import", s.finished}, {3, "a killed import", func() { s.killed("import") }},
		{1, "a killed rebuild", func() { s.killed("reindex") }}, {1, "rebuild", s.rebuild}, {1, "forget", s.forgetOne},
		{1, "a killed forget", s.killedForget}, {1, "a killed compaction", func() { s.killed("compact") }}, {1, "compact", s.compact},
		{1, "all at once", s.crowd}, {1, "backup", s.backup}, {2, "check", func() { s.whole("check") }}, {6, "search", s.someWords}, {1, "everything", s.everything},
	}
	sum := 0
	for _, a := range actions {
		sum += a.weight
	}
	at := s.r.IntN(sum)
	for _, a := range actions {
		if at -= a.weight; at < 0 {
			s.log = append(s.log, a.name)
			a.do()
			return
		}
	}
}

func (s *soak) note(format string, args ...any) {
	s.log[len(s.log)-1] += " " + fmt.Sprintf(format, args...)
}

// any returns a session that is on disk, or not; nil when there is none.
func (s *soak) any(onDisk bool) *soakTalk {
	var all []*soakTalk
	for n := range 20 {
		if x := s.sessions[n]; x != nil && x.onDisk == onDisk {
			all = append(all, x)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[s.r.IntN(len(all))]
}

func (s *soak) path(x *soakTalk) string {
	return ".claude/projects/" + x.place + "/" + sessionID(x.n) + ".jsonl"
}

// line is the line of a word's message, behind another's.
func (s *soak) line(x *soakTalk, word, before string) string {
	parent := "null"
	if before != "" {
		parent = fmt.Sprintf("%q", "uuid-"+before)
	}
	return fmt.Sprintf(`{"parentUuid":%s,"isSidechain":false,"cwd":"/proj/lantern","sessionId":%q,"type":"user","message":{"role":"user","content":"%s and %s"},"uuid":"uuid-%s","timestamp":"2026-03-01T10:00:00.000Z"}`+"\n",
		parent, sessionID(x.n), word, strings.Repeat("some more words ", len(word)%7*40), word)
}

// store writes a session as it is in the model.
func (s *soak) store(x *soakTalk) {
	var b strings.Builder
	before := ""
	for _, w := range x.words {
		b.WriteString(s.line(x, w, before))
		before = w
	}
	s.write(s.path(x), b.String())
	x.onDisk = true
}

func (s *soak) append() {
	n := s.r.IntN(20)
	x := s.sessions[n]
	if x == nil {
		x = &soakTalk{n: n, place: "-proj-lantern"}
		s.sessions[n] = x
	}
	for range 1 + s.r.IntN(6) {
		s.said++
		x.words = append(x.words, fmt.Sprintf("zq%06dx", s.said))
	}
	s.store(x)
	if s.r.IntN(3) == 0 { // what was typed stands in the list of prompts too
		f, err := os.OpenFile(filepath.Join(s.home, historyPath), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			s.t.Fatal(err)
		}
		f.WriteString(typed(sessionID(n), 1, func(int) string { return x.words[len(x.words)-1] + " and typed" }))
		f.Close()
	}
}

func (s *soak) cutEnd() {
	if x := s.any(true); x != nil {
		x.words = x.words[:s.r.IntN(len(x.words)+1)]
		s.store(x)
	}
}

func (s *soak) cutHead() {
	if x := s.any(true); x != nil {
		x.words = slices.Clone(x.words[s.r.IntN(len(x.words)+1):])
		s.store(x)
	}
}

func (s *soak) remove() {
	if x := s.any(true); x != nil {
		os.Remove(filepath.Join(s.home, s.path(x)))
		x.onDisk = false
	}
}

func (s *soak) move() {
	if x := s.any(true); x != nil {
		os.Remove(filepath.Join(s.home, s.path(x)))
		x.place = []string{"-proj-lantern", "-proj-other"}[s.r.IntN(2)]
		s.store(x)
	}
}

func (s *soak) touch() {
	if x := s.any(true); x != nil {
		now := time.Now().Add(time.Duration(s.r.IntN(200)-100) * time.Hour) // the clock may go back
		os.Chtimes(filepath.Join(s.home, s.path(x)), now, now)
	}
}

// halfLine leaves a line that is not written to its end. The next store writes it whole, or not at all.
func (s *soak) halfLine() {
	if x := s.any(true); x != nil {
		f, err := os.OpenFile(filepath.Join(s.home, s.path(x)), os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			f.WriteString(`{"parentUuid":null,"isSidechain":false,"cwd":"/proj/la`)
			f.Close()
		}
	}
}

// finished imports to the end: from now on everything that is on disk has to be known.
func (s *soak) finished() {
	s.imports()
	for n, x := range s.sessions {
		for _, w := range x.words {
			switch {
			case !x.onDisk:
			case s.gone[n]:
				s.dead[w] = true
			default:
				s.known[w] = n
			}
		}
	}
}

// killed has another process do something and kills it, at a mark or at any moment.
func (s *soak) killed(what string) {
	at := 0
	if s.r.IntN(2) == 0 {
		at = 1 + s.r.IntN(14)
	}
	cmd, out := s.start(what, at)
	if at == 0 {
		time.Sleep(time.Duration(s.r.IntN(120)) * time.Millisecond)
		cmd.Process.Kill()
	}
	said := ""
	for out.Scan() {
		said += out.Text()
	}
	cmd.Wait()
	s.note("%s at %d %s", what, at, said)
	if cmd.ProcessState.ExitCode() == 1 {
		s.t.Errorf("%s: %s", what, said)
	}
	s.whole("after a killed " + what)
}

func (s *soak) rebuild() {
	if _, err := s.svc.Import(context.Background(), service.ImportRequest{Reindex: true}); err != nil {
		s.t.Errorf("rebuild: %v", err)
	}
	s.finished()
	s.sound("after a rebuild")
}

// victim is a session of which something is known.
func (s *soak) victim() int {
	have := map[int]bool{}
	for _, n := range s.known {
		have[n] = true
	}
	for _, n := range s.r.Perm(20) {
		if have[n] {
			return n
		}
	}
	return -1
}

// bury moves the words of a session from those that must be found to those that must not.
func (s *soak) bury(n int) {
	s.gone[n] = true
	for w, of := range s.known {
		if of == n {
			delete(s.known, w)
			s.dead[w] = true
		}
	}
}

func (s *soak) forgetOne() {
	s.finished() // so that the model knows all words of it
	if n := s.victim(); n >= 0 && len(s.gone) < 8 {
		s.note("%d", n)
		s.forget(true, id(n))
		s.bury(n)
		s.sound("after forgetting")
	}
}

func (s *soak) killedForget() {
	s.finished()
	n := s.victim()
	if n < 0 || len(s.gone) >= 8 {
		return
	}
	s.killed("forget " + id(n))
	s.note("%d", n)
	if _, err := s.svc.Show(context.Background(), service.ShowRequest{ID: id(n)}); err == nil {
		s.forget(true, id(n))
	}
	s.bury(n)
	s.finished()
	s.sound("after a killed forget")
}

func (s *soak) compact() {
	if _, err := s.svc.Compact(context.Background()); err != nil {
		s.t.Errorf("compact: %v", err)
	}
	s.whole("compacted")
}

// crowd has two importers and ten searchers at work at once.
func (s *soak) crowd() {
	words := s.sample(10)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			var f *service.Failure
			if _, err := s.svc.Import(context.Background(), service.ImportRequest{}); err != nil && !(errors.As(err, &f) && f.Kind == service.Busy) {
				s.t.Errorf("import in a crowd: %v", err)
			}
		})
	}
	for _, w := range words {
		all.Go(func() { s.find(w) })
	}
	all.Wait()
	s.finished()
}

func (s *soak) backup() {
	name := filepath.Join(s.t.TempDir(), "copy.db")
	if _, err := s.svc.Backup(context.Background(), service.BackupRequest{File: name}); err != nil {
		s.t.Errorf("backup: %v", err)
		return
	}
	defer os.Remove(name)
	dir := filepath.Join(s.t.TempDir(), "lore")
	os.MkdirAll(dir, 0o700)
	os.Rename(name, filepath.Join(dir, "archive.db"))
	back := &machine{t: s.t, home: filepath.Join(dir, "nobody"), svc: newService(dir, filepath.Join(dir, "nobody"))}
	if got, want := back.list(), s.list(); got != want && len(s.faults(false)) == 0 {
		s.t.Errorf("the backup has\n%s\nthe archive\n%s", got, want)
	}
	os.RemoveAll(dir)
}

// sample returns some words that must be found.
func (s *soak) sample(n int) (words []string) {
	all := slices.Sorted(maps.Keys(s.known))
	for range min(n, len(all)) {
		words = append(words, all[s.r.IntN(len(all))])
	}
	return words
}

func (s *soak) find(word string) {
	res, err := s.svc.Search(context.Background(), service.SearchRequest{Query: word, All: true})
	if err != nil {
		s.t.Errorf("search %s: %v", word, err)
	} else if res.Total == 0 || res.Hits[0].Tier != "exact" {
		s.t.Errorf("search %s: not found", word)
	}
}

func (s *soak) someWords() {
	for _, w := range s.sample(5) {
		s.find(w)
	}
	if len(s.dead) == 0 {
		return
	}
	w := slices.Sorted(maps.Keys(s.dead))[s.r.IntN(len(s.dead))]
	res, err := s.svc.Search(context.Background(), service.SearchRequest{Query: `"` + w + `"`})
	if err != nil || res.Total > 0 && res.Hits[0].Tier == "exact" {
		s.t.Errorf("search %s, which was forgotten: %v, %+v", w, err, res)
	}
}

// everything reads every conversation and holds its words and ids against the model.
func (s *soak) everything() {
	ctx := context.Background()
	list, err := s.svc.List(ctx, service.ListRequest{})
	if err != nil {
		s.t.Errorf("list: %v", err)
		return
	}
	found := map[string]bool{}
	for _, c := range list.Conversations {
		shown, err := s.svc.Show(ctx, service.ShowRequest{ID: c.ID.String()})
		if err != nil {
			s.t.Errorf("show %s: %v", c.ID.Short(), err)
			return
		}
		for _, m := range shown.Conversation.Messages {
			word, _, _ := strings.Cut(m.Parts[0].Text, " ")
			found[word] = true
			if s.dead[word] {
				s.t.Errorf("%s was forgotten and is shown", word)
			}
			if was, ok := s.ids[word]; ok && was != m.ID {
				if _, err := s.svc.Show(ctx, service.ShowRequest{ID: was.String()}); err != nil {
					s.t.Errorf("%s was %s, is %s, and the old id says: %v", word, was.Short(), m.ID.Short(), err)
				}
			}
			s.ids[word] = m.ID
		}
	}
	for w, n := range s.known {
		if !found[w] {
			s.t.Errorf("%s of session %d is lost", w, n)
		}
	}
}
