package index

// verifier decides a plan for one document after the other by reading its text.
type verifier struct {
	r        *Reader
	evidence bool // the evidence is read where the stored text was cut

	at    located
	doc   *document
	raw   []string // strings of the evidence
	asked bool     // raw was asked for
	short bool     // a text that may matter was not read
	err   error

	block    []byte // that was decoded last
	blockKey blockKey
}

// decide reads what it takes to know whether a node is true for a document.
func (v *verifier) decide(e *evaluation, root node, at located) (verdict, error) {
	v.at, v.doc, v.raw, v.asked, v.short, v.err = at, nil, nil, false, false, nil
	holds := v.holds(e, root)
	switch {
	case v.err != nil:
		return unread, v.err
	case v.short && v.evidence:
		return unread, nil // the evidence could not be read
	case v.short:
		return wasCut, nil
	case holds:
		return is, nil
	}
	return isNot, nil
}

// holds reports whether a node is true for the document. Where a text that was cut could change that, short is set.
func (v *verifier) holds(e *evaluation, n node) bool {
	switch n := n.(type) {
	case nil:
		return true
	case *leaf:
		a := e.leaves[n.n]
		return a.sure.has(v.at.doc) || a.maybe.has(v.at.doc) && v.matches(n)
	case *filter:
		return e.filters[n].has(v.at.doc)
	case notNode:
		return !v.holds(e, n.of)
	case allOf:
		return v.several(e, n, false)
	case anyOf:
		return v.several(e, n, true)
	}
	return false
}

// several looks for a node whose truth decides all; one that is short does not decide.
func (v *verifier) several(e *evaluation, of []node, decides bool) bool {
	before, short := v.short, false
	for _, n := range of {
		v.short = false
		holds := v.holds(e, n)
		if holds == decides && !v.short {
			v.short = before
			return decides
		}
		short = short || v.short
	}
	v.short = before || short
	return !decides
}

// matches reports whether the text of the document has what a leaf asks for.
func (v *verifier) matches(l *leaf) bool {
	if !v.load() {
		return false
	}
	cut := false
	for i := range v.doc.parts {
		p := &v.doc.parts[i]
		if p.kind != partPlace && (l.matcher.Matches(p.text) || p.name != "" && l.matcher.Matches(p.name)) {
			return true
		}
		cut = cut || p.cut
	}
	if !cut {
		return false
	}
	if v.evidence && !v.asked {
		v.asked = true
		v.raw = v.r.evidenceText(v.at, v.doc)
	}
	if v.raw == nil {
		v.short = true
		return false
	}
	for _, s := range v.raw {
		if l.matcher.Matches(s) {
			return true
		}
	}
	return false
}

// load reads the stored document.
func (v *verifier) load() bool {
	if v.doc != nil || v.err != nil {
		return v.err == nil
	}
	seg := v.r.segments[v.at.seg]
	b, err := seg.row(secPlace, v.at.doc)
	if err != nil {
		v.err = err
		return false
	}
	p := decodePlace(b)
	key := blockKey{v.at.seg, p.block}
	if v.block == nil || v.blockKey != key {
		if v.block, v.err = v.r.blocks.get(v.at.seg, seg.segmentFile, p.block); v.err != nil {
			return false
		}
		v.blockKey = key
	}
	d, err := decodeDocument(v.block, p.at)
	if err != nil {
		v.err = err
		return false
	}
	v.doc = &d
	return true
}
