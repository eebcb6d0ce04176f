package ingest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/cespare/xxhash/v2"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// A session that grows by a line should cost what the line costs. So of a large file that was written to of late a
// resume point is kept, in a file beside the index: what adapter, sealer and weave knew at a place near the end. The next
// import, if the file has only grown, goes on from there. A point is good for one snapshot of one evidence as the index
// has it; where it does not fit, or what was appended changes what stands before it, the whole file is read. It is
// disposable, and a record that was read on is equal to one that was read at once.
const (
	resumeFrom  = 2 << 20            // bytes of a file from which on a point is kept
	resumeFresh = 7 * 24 * time.Hour // how long after it was last written to a file is thought to grow
	resumeKeep  = 30 * 24 * time.Hour
	resumeDir   = "resume"
)

// resumePoint is what is kept of a reading.
type resumePoint struct {
	Program  string
	Reader   int   // version of the adapter
	Snapshot int64 // of the evidence
	Conv     lore.ID
	Docs     int     // messages that stand before the place
	Last     lore.ID // the last of them
	Seal     []byte  // a packed lore.SealState
	Messages int     // that the evidence contributes so far
	Ledger   lore.Ledger
	Losses   []lore.Loss
	Weave    woven
	Adapter  []byte
}

func (r *run) resumePath(file int64) string {
	return filepath.Join(r.indexDir, resumeDir, strconv.FormatInt(file, 10))
}

// canResume reports whether points are kept for an evidence.
func (r *run) canResume(j *job, size int64, written time.Time) bool {
	_, ok := j.adapter.(adapter.Resumer)
	return ok && size >= cmp.Or(r.o.resume, resumeFrom) && !j.store.Prompts && len(j.source.Ranges) == 0 && r.o.Now().Sub(written) < resumeFresh
}

// loadPoint returns the point of an evidence that the index has as the archive's newest snapshot; nil when there is none.
func (r *run) loadPoint(j *job) *resumePoint {
	if _, ok := j.adapter.(adapter.Resumer); !ok || r.o.Verify || j.file.ID == 0 || !r.indexed(&j.file, j.adapter) || r.known.states[j.file.ID].Failed {
		return nil
	}
	b, err := os.ReadFile(r.resumePath(j.file.ID))
	if err != nil {
		return nil
	}
	p := &resumePoint{}
	if err := p.decode(b); err != nil || p.Snapshot != j.file.Snapshot || p.Reader != j.adapter.Info().Version || p.Program != r.o.Program {
		return nil
	}
	return p
}

// pointLayout tells points from those of other programs.
func pointLayout() uint64 { return kit.Layout(&resumePoint{}) ^ kit.Layout(&lore.SealState{})<<1 }

// encode writes a point as it is made: that of a session of a gigabyte is a good part of what an import may hold.
func (p *resumePoint) encode(w io.Writer) error {
	sum := xxhash.New()
	both := io.MultiWriter(w, sum)
	if _, err := both.Write(binary.LittleEndian.AppendUint64(nil, pointLayout())); err != nil {
		return err
	}
	if err := kit.Pack(both, p); err != nil {
		return err
	}
	_, err := w.Write(binary.LittleEndian.AppendUint64(nil, sum.Sum64()))
	return err
}

var errPoint = errors.New("not a resume point of this program")

func (p *resumePoint) decode(b []byte) error {
	n := len(b) - 8
	if n < 8 || binary.LittleEndian.Uint64(b[n:]) != xxhash.Sum64(b[:n]) || binary.LittleEndian.Uint64(b) != pointLayout() {
		return errPoint
	}
	if err := kit.Unpack(bytes.NewReader(b[8:n]), p); err != nil || p.Seal == nil {
		return errPoint
	}
	return nil
}

// savePoint keeps the point of an evidence that was just read, or removes an older one. That it cannot be written costs
// time and nothing else.
func (rd *reading) savePoint() {
	r, p := rd.run, rd.point
	path := r.resumePath(rd.kept.file.ID)
	if p == nil {
		if rd.job.point != nil {
			os.Remove(path)
		}
		return
	}
	p.Program, p.Reader, p.Snapshot, p.Adapter = r.o.Program, rd.evidence.Reader, rd.kept.file.Snapshot, rd.state()
	rd.state = nil
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return
	}
	tmp := path + ".tmp"
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	if errors.Join(p.encode(f), f.Close()) != nil || os.Rename(tmp, path) != nil {
		os.Remove(tmp)
	}
}

// sweepPoints removes points that were not used for long.
func (r *run) sweepPoints() {
	entries, err := os.ReadDir(filepath.Join(r.indexDir, resumeDir))
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && r.o.Now().Sub(info.ModTime()) > resumeKeep {
			os.Remove(filepath.Join(r.indexDir, resumeDir, e.Name()))
		}
	}
}

// fits reports whether an evidence that was just kept has only grown since the point was kept.
func (p *resumePoint) fits(k *kept) bool { return p != nil && k.extends == p.Snapshot && !k.beside }

// mark notes that the adapter can be asked to go on from where it is.
func (rd *reading) mark(state func() []byte) {
	if rd.current == nil {
		rd.first = state
		return
	}
	rd.current.note(state)
}

// note makes the mark of a place in a conversation.
func (p *putting) note(state func() []byte) {
	if p.mode != put {
		return
	}
	link := p.link
	link.Ledger = lore.Ledger{}
	link.Ledger.Add(p.link.Ledger)
	if k := p.weave.note(state, link); k.split >= 0 {
		p.capture(k)
	}
}

// capture makes the point of a mark: all before it was sealed and put, and nothing behind it.
func (p *putting) capture(k *mark) {
	w, ok := p.weave.woven(k)
	if !ok {
		return
	}
	p.point = nil // what the one before holds of the sealer is given back first
	st, err := p.sealer.State()
	if err != nil {
		return
	}
	seal := kit.PackBytes(st) // a third of the size of what it knows of each message
	p.point = &resumePoint{Conv: p.id, Docs: p.sealed, Last: p.last, Seal: seal, Messages: k.link.Messages, Ledger: k.link.Ledger,
		Losses: k.link.Losses, Weave: w}
	p.state = k.state
}

// resume begins to put a conversation from a point on.
func (p *putting) resume(at *resumePoint) (err error) {
	if at.Conv != p.id || !p.weave.resume(at.Weave) || !p.session.Stand(at.Docs, at.Last) {
		return errStale
	}
	var st lore.SealState
	if kit.Unpack(bytes.NewReader(at.Seal), &st) != nil {
		return errStale
	}
	if p.sealer, err = st.Sealer(); err != nil {
		return errStale
	}
	p.sealed, p.last = at.Docs, at.Last
	p.link.Messages, p.link.Ledger, p.link.Losses = at.Messages, at.Ledger, at.Losses
	return nil
}

// unspeak takes back that an evidence speaks of a conversation, when it is read again.
func (r *run) unspeak(id lore.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.spoken[id]); n > 0 {
		r.spoken[id] = r.spoken[id][:n-1]
	}
}
