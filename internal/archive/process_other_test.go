//go:build !unix

package archive

import "errors"

func childLimit(string) error { return errors.ErrUnsupported }
