package claudecode

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"iter"
	"maps"
	"path"
	"slices"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// A transcript that grows is read on from a place near its end. What the first pass keeps of the lines up to there is
// saved, and the second pass's state at the place. The structure of all lines is found anew, which costs little; where
// it says of a line before the place anything else than it did, the whole file is read.

var _ adapter.Resumer = Adapter{}

// saved is all that Resume needs.
type saved struct {
	Scan  scanned
	Place placed
}

// scanned is what the first pass has found.
type scanned struct {
	src      kit.LinesState
	lines    []line
	names    []string
	titles   []title
	links    []link
	tasks    []task
	logical  map[int32]key
	sources  map[int32]key
	gone     []key
	sessions map[int32]int
	losses   losses

	mine, foreign, messages         int
	onlyAgent, session, forked, end int32
}

// placed is the second pass at a place between two lines.
type placed struct {
	at     int    // how many lines of the conversation stand before it, in record order
	digest uint64 // of what the structure says of them
	named  int32  // the line that gave the title
	again  int    // identical lines of those that the ledger has
	after  []after

	shared           int
	ledger           lore.Ledger
	losses           losses
	unknown          map[string]int
	met              []met
	dir, branch      string
	decided, looked  bool
	automation, left bool // left: a side file was not there
	last             lore.Time
}

// after is what the second pass has noted of a line.
type after struct {
	near  int32
	tag   roleTag
	shown bool
}

// freeze keeps what the first pass has found, where the caller asks for it and the lines can be read on.
func (f *file) freeze() {
	lines, ok := f.src.(*kit.Lines)
	if f.in.Save == nil || !ok {
		return
	}
	st, ok := lines.State()
	if !ok {
		return
	}
	f.frozen = kit.PackBytes(&scanned{st, f.lines, f.names.text, f.titles, f.links, f.tasks, f.logical, f.sources, f.gone,
		f.sessions, f.losses, f.mine, f.foreign, f.messages, f.onlyAgent, f.session, f.forked, f.lastSession})
}

// thaw puts back what an earlier first pass has found.
func (f *file) thaw(s *scanned) {
	f.lines, f.titles, f.links, f.tasks, f.gone = s.lines, s.titles, s.links, s.tasks, s.gone
	if s.logical != nil {
		f.logical = s.logical
	}
	if s.sources != nil {
		f.sources = s.sources
	}
	if s.sessions != nil {
		f.sessions = s.sessions
	}
	f.losses = s.losses
	f.mine, f.foreign, f.messages = s.mine, s.foreign, s.messages
	f.onlyAgent, f.session, f.forked, f.lastSession = s.onlyAgent, s.session, s.forked, s.end
	f.names.text = s.names
	for i, name := range s.names {
		f.names.number[name] = int32(i)
	}
	for i := range f.lines {
		h := f.lines[i].hash
		_, slot := f.byHash.find(h, func(int32) bool { return false })
		f.byHash.add(int32(i), slot, h, func(i int32) uint64 { return f.lines[i].hash })
	}
}

// Resume yields what stands behind the place of a state.
func (Adapter) Resume(ctx context.Context, in adapter.Input, state []byte) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		out := &sink{yield: yield}
		if err := resume(ctx, in, state, out); err != nil && !out.done {
			yield(nil, err)
		}
	}
}

func resume(ctx context.Context, in adapter.Input, state []byte, out *sink) error {
	var s saved
	if path.Ext(in.Source.Path) != ".jsonl" || !kit.OpenState(state, kit.Layout(&s), &s.Scan, &s.Place) {
		return adapter.ErrStale
	}
	lines, err := kit.ResumeLines(in, in.Source.Path, kit.Options{TopKeys: topKeys}, s.Scan.src)
	if err != nil {
		return adapter.ErrStale
	}
	defer lines.Close()
	f := newFile(in, lines, placeOf(in.Source.Path))
	f.thaw(&s.Scan)
	for r := range lines.All() {
		if err := ctx.Err(); err != nil {
			return err
		}
		f.add(r)
	}
	if err := lines.Err(); err != nil {
		return err
	}
	f.freeze()
	f.structure()
	if len(f.convs) != 1 || !f.convs[0].speaks {
		return adapter.ErrStale
	}
	return f.resume(ctx, &s.Place, out)
}

// resume is the second pass from a place on.
func (f *file) resume(ctx context.Context, p *placed, out *sink) error {
	c := f.convs[0]
	lines := f.linesOf(c)
	if p.at > len(lines) || len(p.after) != p.at || f.digest(lines[:p.at]) != p.digest {
		return adapter.ErrStale
	}
	for k, i := range lines[:p.at] {
		l := &f.lines[i]
		l.near, l.tag = p.after[k].near, p.after[k].tag
		if p.after[k].shown {
			l.flags |= shown
		}
	}
	w := f.newWriter(ctx, c, out)
	w.shared, w.ledger, w.losses, w.unknown, w.met = p.shared, p.ledger, p.losses, p.unknown, p.met
	w.dir, w.branch, w.decided, w.looked, w.automation, w.left, w.last = p.dir, p.branch, p.decided, p.looked, p.automation, p.left, p.last
	if w.unknown == nil {
		w.unknown = map[string]int{}
	}
	w.ledger.Merge(f.repeated(lines[:p.at]) - p.again)
	w.rename(p.named, lines[:p.at])
	if err := w.lines(p.at, f.whole()); err != nil || out.done {
		return err
	}
	f.abouts(out)
	f.started(out)
	return nil
}

// rename corrects the ledger where another line before the place gives the title now.
func (w *writer) rename(before int32, lines []int32) {
	now := w.c.named
	if now == before {
		return
	}
	counted := func(i int32) (string, bool) {
		for k := range w.f.titles {
			if t := &w.f.titles[k]; t.line == i && slices.Contains(lines, i) {
				return "skipped:" + [...]string{rankSummary: "summary", rankAI: "ai-title", rankCustom: "custom-title"}[t.rank], true
			}
		}
		return "", false
	}
	l := &w.ledger
	if typ, ok := counted(before); ok {
		if l.Types == nil {
			l.Types = map[string]int{}
		}
		l.Kept, l.Skipped = l.Kept-1, l.Skipped+1
		l.Types[typ]++
	}
	if typ, ok := counted(now); ok {
		l.Kept, l.Skipped = l.Kept+1, l.Skipped-1
		if l.Types[typ]--; l.Types[typ] == 0 {
			delete(l.Types, typ)
		}
	}
}

// repeated counts the identical lines of all that the second pass has accounted for.
func (f *file) repeated(lines []int32) int {
	n := 0
	for _, i := range lines {
		if f.lines[i].rep != i {
			continue
		}
		for j := i; j >= 0; j = f.lines[j].next {
			n += int(f.lines[j].again)
		}
	}
	return n
}

// digest sums up what the structure says of lines, as far as the second pass makes use of it.
func (f *file) digest(lines []int32) uint64 {
	h := fnv.New64a()
	var b [64]byte
	for _, i := range lines {
		l := &f.lines[i]
		up, branch := f.above(i)
		said := l.kind == kindLastPrompt && f.said(l)
		d := b[:0]
		for _, n := range [...]int32{i, l.rep, l.next, up, f.parentOf(i), l.conv, int32(l.flags &^ (shown | missing))} {
			d = binary.LittleEndian.AppendUint32(d, uint32(n))
		}
		for _, is := range [...]bool{branch, said} {
			if is {
				d = append(d, 1)
			} else {
				d = append(d, 0)
			}
		}
		h.Write(d)
	}
	return h.Sum64()
}

// enough is how many lines have to stand behind a place: what is appended changes most often what stands just before it.
const enough = 64

// save offers the state before a line, where it is a good one.
func (w *writer) save(at int) {
	f := w.f
	lines := f.linesOf(w.c)
	if f.frozen == nil || len(f.convs) != 1 || w.left || len(lines)-at < enough || w.looked && len(lines) < farthest+enough {
		return
	}
	p := &placed{at: at, named: w.c.named, again: f.repeated(lines[:at]),
		shared: w.shared, ledger: w.ledger, losses: w.losses.clone(), unknown: maps.Clone(w.unknown), met: slices.Clone(w.met),
		dir: w.dir, branch: w.branch, decided: w.decided, looked: w.looked, automation: w.automation, left: w.left, last: w.last}
	p.ledger.Types = maps.Clone(w.ledger.Types)
	f.in.Save(func() []byte {
		p.digest = f.digest(lines[:at])
		p.after = make([]after, at)
		for k, i := range lines[:at] {
			l := &f.lines[i]
			p.after[k] = after{l.near, l.tag, l.is(shown)}
		}
		return kit.State(kit.Layout(&saved{}), f.frozen, p)
	})
}

// step counts the bytes of a line and reports whether a piece should end behind it, so that a state can be saved there.
func (w *writer) step(l *line) bool {
	if w.f.frozen == nil {
		return false
	}
	w.since += l.length
	w.ahead -= l.length
	step, within := w.f.in.SaveStep()
	return w.since >= step && w.ahead <= within
}
