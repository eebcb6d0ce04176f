package kit

// Tree is the structure of a file whose records name their parents by id. Nodes are numbered in the order of the file.
// A parent that no record before has is not found, so that there are no cycles. The zero Tree is ready.
type Tree struct {
	up   []int32 // by node; -1: a root
	byID map[string]int32
}

// Root is the parent of a node that has none.
const Root = -1

// Node returns the node with an id.
func (t *Tree) Node(id string) (node int, ok bool) {
	n, ok := t.byID[id]
	return int(n), ok
}

// Len returns the number of nodes.
func (t *Tree) Len() int { return len(t.up) }

// Add adds a node below a parent, which may be Root. A node whose id is empty, or has a node already, is found by its
// number alone.
func (t *Tree) Add(id string, parent int) (node int) {
	node = len(t.up)
	t.up = append(t.up, int32(min(parent, node-1)))
	if id == "" {
		return node
	}
	if t.byID == nil {
		t.byID = map[string]int32{}
	}
	if _, taken := t.byID[id]; !taken {
		t.byID[id] = int32(node)
	}
	return node
}

// Up returns the parent of a node; Root when it has none.
func (t *Tree) Up(node int) int { return int(t.up[node]) }

// Path marks the nodes from a root to a leaf.
func (t *Tree) Path(leaf int) []bool {
	on := make([]bool, len(t.up))
	for ; leaf >= 0 && leaf < len(on); leaf = int(t.up[leaf]) {
		on[leaf] = true
	}
	return on
}
