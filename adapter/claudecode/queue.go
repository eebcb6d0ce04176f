package claudecode

// A prompt that is typed while the agent is busy is written up to three times: as an enqueue, as a queued_command when
// it is handed to the running turn, and as a user record when it opens a turn of its own. The record with a uuid wins,
// the others are its twins. One that was only enqueued stays a message, withdrawn if the queue says so.

// queued is one prompt in the queue.
type queued struct {
	text      uint64
	enqueue   int32 // line; -1: none
	command   int32 // the queued_command; -1: none
	sent      bool  // dequeued: its user record follows
	absorbed  bool  // taken into the running turn: none follows
	withdrawn bool
	removed   bool // a removal without a reason was heeded, after it was handed over
	answered  bool // an answer stands after the queued_command
	closed    bool // has its user record, or its busy span is over
}

// pairQueued folds the three of each conversation, in the order of the file.
func (f *file) pairQueued() {
	waiting := map[int32][]*queued{}
	for i := range f.lines {
		l := &f.lines[i]
		if l.is(copied) {
			continue
		}
		q := waiting[l.conv]
		switch {
		case l.kind == kindQueue && l.op == opEnqueue:
			waiting[l.conv] = append(q, &queued{text: l.text, enqueue: int32(i), command: -1})
		case l.kind == kindQueue:
			operate(q, l.op, l.text)
		case l.kind == kindQueued:
			waiting[l.conv] = f.command(q, int32(i))
		case len(q) == 0:
		case l.kind == kindAssistant:
			for _, p := range q {
				p.answered = p.answered || p.command >= 0
			}
		case l.kind == kindUser && l.text != 0:
			waiting[l.conv] = f.prompt(q, int32(i))
		}
	}
	for _, q := range waiting {
		for _, p := range q {
			f.leave(p)
		}
	}
}

// operate heeds a queue operation. One that names no text means the oldest prompt that it can mean.
func operate(q []*queued, o op, text uint64) {
	for _, p := range q {
		if p.closed || p.absorbed || text != 0 && p.text != text {
			continue
		}
		waits := !p.sent && !p.withdrawn
		switch {
		case o == opDequeue && waits:
			p.sent = true
			return
		case o == opAbsorbed && waits:
			p.absorbed = true
			return
		case o == opRemove && waits && p.command >= 0 && !p.removed:
			p.removed = true // the older versions say so that it was taken into the running turn
			return
		case o == opRemove && waits && p.command < 0:
			p.withdrawn = true
			return
		case o == opPopAll && waits && p.command < 0:
			p.withdrawn = true
		}
	}
}

// command pairs a queued_command with its enqueue.
func (f *file) command(q []*queued, i int32) []*queued {
	text := f.lines[i].text
	for _, p := range q {
		if !p.closed && p.command < 0 && p.text == text && text != 0 {
			p.command = i
			return q
		}
	}
	if of, ok := f.sources[i]; ok {
		if user, _ := f.lookup(of, f.lines[i].conv); user >= 0 && f.lines[user].kind == kindUser {
			f.twin(f.lines[user].rep, i)
			return q
		}
	}
	return append(q, &queued{text: text, enqueue: -1, command: i})
}

// prompt pairs a user record with the queue. Words that are not from the queue end the busy span of what has been
// handed over or withdrawn; what still waits is still in the queue.
func (f *file) prompt(q []*queued, i int32) []*queued {
	l := &f.lines[i]
	for _, p := range q {
		if f.named(p, l.uuid) || p.text == l.text && !p.absorbed && (!p.answered || p.sent) {
			p.closed = true
			for _, t := range []int32{p.enqueue, p.command} {
				if t >= 0 {
					f.twin(l.rep, t)
				}
			}
			return pending(q)
		}
	}
	if !l.is(human) {
		return q
	}
	for _, p := range q {
		if p.command >= 0 || p.withdrawn || p.absorbed || p.sent {
			p.closed = true
			f.leave(p)
		}
	}
	return pending(q)
}

// named reports whether the queued_command says itself which record it became.
func (f *file) named(p *queued, uuid key) bool {
	if p.command < 0 || uuid == (key{}) {
		return false
	}
	of, ok := f.sources[p.command]
	return ok && of == uuid
}

func pending(q []*queued) []*queued {
	rest := q[:0]
	for _, p := range q {
		if !p.closed {
			rest = append(rest, p)
		}
	}
	return rest
}

// leave settles a prompt without a user record: the queued_command stands, else the enqueue.
func (f *file) leave(p *queued) {
	switch {
	case p.command >= 0 && p.enqueue >= 0:
		f.twin(f.lines[p.command].rep, p.enqueue)
	case p.command < 0 && p.withdrawn:
		f.lines[p.enqueue].flags |= inactive
	}
}

// twin makes a line evidence of the message that another one says.
func (f *file) twin(rep, i int32) {
	l := &f.lines[i]
	for j := i; j >= 0; {
		next := f.lines[j].next
		f.lines[j].next = -1
		f.lines[j].flags |= twinned
		f.append(rep, j)
		j = next
	}
	l.conv = f.lines[rep].conv
}
