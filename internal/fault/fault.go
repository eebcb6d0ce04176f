// Package fault marks the places at which a process that dies leaves most behind: just before and just behind whatever
// makes a change durable or visible. A test sets a hook and dies there; in the program there is none, and a mark costs the
// look at one pointer.
package fault

import "sync/atomic"

var hook atomic.Pointer[func(place string)]

// Set has f called at every mark; nil ends that. For tests.
func Set(f func(place string)) {
	if f == nil {
		hook.Store(nil)
		return
	}
	hook.Store(&f)
}

// At is a mark.
func At(place string) {
	if f := hook.Load(); f != nil {
		(*f)(place)
	}
}
