package index

// loose answers with what comes near; nil when nothing does.
func (s *searching) loose() (*Result, error) { return nil, nil }
