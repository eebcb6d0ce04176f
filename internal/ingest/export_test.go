package ingest

// Resume has resume points kept of files of this size on, at places that lie so many bytes apart.
func (o *Options) Resume(from, step int64) { o.resume, o.step = from, step }
