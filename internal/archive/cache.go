package archive

import (
	deque "container/list"
	"sync"
)

// cache keeps the decoded blocks that were used last. Its slices are shared and never written to.
type cache struct {
	max int64 // bytes

	mu    sync.Mutex
	size  int64
	order deque.List // of *cached, the last used in front
	at    map[int64]*deque.Element
}

type cached struct {
	id    int64
	bytes []byte
}

// get returns a block; nil when it is not there.
func (c *cache) get(id int64) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.at[id]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached).bytes
}

// put takes over a block.
func (c *cache) put(id int64, b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at == nil {
		c.at = map[int64]*deque.Element{}
	}
	if c.at[id] != nil {
		return
	}
	c.at[id] = c.order.PushFront(&cached{id, b})
	c.size += int64(len(b))
	for c.size > c.max && c.order.Len() > 1 {
		e := c.order.Back()
		old := c.order.Remove(e).(*cached)
		delete(c.at, old.id)
		c.size -= int64(len(old.bytes))
	}
}
