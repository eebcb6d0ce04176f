package kit

// Offset returns where the value begins in the bytes that were parsed, from 0; 0 when absent.
func (v Value) Offset() int {
	if v.doc == nil {
		return 0
	}
	return int(v.node().start)
}
