package index

import "sync"

// blockCache keeps decoded blocks of document stores, the newest few megabytes of them.
type blockCache struct {
	mu     sync.Mutex
	blocks map[blockKey][]byte
	order  []blockKey // oldest first
	bytes  int
}

type blockKey struct{ seg, block uint32 }

const blockCacheBytes = 16 << 20

// get returns a block, decoding it when it is not there. Two goroutines may decode the same block at the same time.
func (c *blockCache) get(seg uint32, f *segmentFile, block uint32) ([]byte, error) {
	key := blockKey{seg, block}
	c.mu.Lock()
	b, ok := c.blocks[key]
	c.mu.Unlock()
	if ok {
		return b, nil
	}
	b, err := storeBlockAt(f, block)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.blocks == nil {
		c.blocks = map[blockKey][]byte{}
	}
	if _, ok := c.blocks[key]; !ok {
		c.blocks[key] = b
		c.order = append(c.order, key)
		c.bytes += len(b)
	}
	for c.bytes > blockCacheBytes && len(c.order) > 1 {
		c.bytes -= len(c.blocks[c.order[0]])
		delete(c.blocks, c.order[0])
		c.order = c.order[1:]
	}
	return b, nil
}

// document returns the stored text of a document.
func (r *Reader) document(at located, p place) (document, error) {
	s := r.segments[at.seg]
	b, err := r.blocks.get(at.seg, s.segmentFile, p.block)
	if err != nil {
		return document{}, err
	}
	return decodeDocument(b, p.at)
}
