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
