package query

// Walk calls f for every leaf of the tree, in the order of the question. Under a Not asked is false: such words are not
// there to be shown.
func Walk(n Node, f func(leaf Node, asked bool)) { walk(n, true, f) }

func walk(n Node, asked bool, f func(Node, bool)) {
	switch n := n.(type) {
	case nil:
	case And:
		for _, of := range n.Of {
			walk(of, asked, f)
		}
	case Or:
		for _, of := range n.Of {
			walk(of, asked, f)
		}
	case Not:
		walk(n.Of, !asked, f)
	default:
		f(n, asked)
	}
}

// Split parts a tree into what is asked of a message's words and what of the facts around it: the root means both
// together. Facts are the parts of a top-level And, or the root itself, that hold nothing but fields. Either may be nil.
func Split(root Node) (words, facts Node) {
	all := []Node{root}
	if and, ok := root.(And); ok {
		all = and.Of
	}
	var w, f []Node
	for _, n := range all {
		if n == nil {
			continue
		}
		if onlyFields(n) {
			f = append(f, n)
		} else {
			w = append(w, n)
		}
	}
	return conjunction(w), conjunction(f)
}

func onlyFields(n Node) bool {
	only := true
	Walk(n, func(leaf Node, _ bool) {
		switch leaf.(type) {
		case Match, Exists, When:
		default:
			only = false
		}
	})
	return only
}
