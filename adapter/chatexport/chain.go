package chatexport

// What the parent of a node is, beside the number of another.
const (
	root    = -1
	nowhere = -2 // an id that no node has
)

// chain is the order of nodes that name their parents.
type chain struct {
	up      []int
	kids    [][]int
	missing int // nodes whose parent is nowhere: the one before them in the file stands in
	cycles  int // nodes that led back to themselves: made roots
}

// newChain makes a chain of each node's parent. listed are the children of a node in its own order, where it has a list.
func newChain(up []int, listed [][]int) *chain {
	c := &chain{up: up, kids: make([][]int, len(up))}
	for i, p := range up {
		if p == nowhere {
			up[i] = i - 1
			c.missing++
		}
	}
	c.uncycle()
	put := make([]bool, len(up))
	add := func(p, i int) {
		if i >= 0 && i < len(up) && up[i] == p && !put[i] {
			put[i] = true
			c.kids[p] = append(c.kids[p], i)
		}
	}
	for p, list := range listed {
		for _, i := range list {
			add(p, i)
		}
	}
	for i, p := range up {
		if p >= 0 {
			add(p, i)
		}
	}
	return c
}

// uncycle makes a root of the first node of each cycle.
func (c *chain) uncycle() {
	seen := make([]int, len(c.up)) // by node: the walk that passed by it
	for i := range c.up {
		n := i
		for ; n >= 0 && seen[n] == 0; n = c.up[n] {
			seen[n] = i + 1
		}
		if n >= 0 && seen[n] == i+1 { // this walk came back to where it was
			first := n
			for m := c.up[n]; m != n; m = c.up[m] {
				first = min(first, m)
			}
			c.up[first] = root
			c.cycles++
		}
	}
}

// order returns all nodes, each behind its parent, branch after branch.
func (c *chain) order() []int {
	list := make([]int, 0, len(c.up))
	var stack []int
	for i, p := range c.up {
		if p >= 0 {
			continue
		}
		stack = append(stack, i)
		for len(stack) > 0 {
			n := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			list = append(list, n)
			for k := len(c.kids[n]) - 1; k >= 0; k-- {
				stack = append(stack, c.kids[n][k])
			}
		}
	}
	return list
}

// active marks the nodes up to a leaf. Below 0: the leaf is the last child of the last child, from the first root on.
func (c *chain) active(leaf int) []bool {
	on := make([]bool, len(c.up))
	if leaf < 0 {
		for i, p := range c.up {
			if p < 0 {
				leaf = i
				break
			}
		}
		for leaf >= 0 && len(c.kids[leaf]) > 0 {
			leaf = c.kids[leaf][len(c.kids[leaf])-1]
		}
	}
	for ; leaf >= 0; leaf = c.up[leaf] {
		on[leaf] = true
	}
	return on
}
