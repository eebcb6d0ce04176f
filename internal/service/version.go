package service

import (
	"runtime"

	"lore/internal/archive"
	"lore/internal/index"
)

// Version says what this program is.
func (s *Service) Version() *VersionResult {
	v := &VersionResult{Schema: "lore.version.v1", Version: s.Build, Go: runtime.Version(),
		Archive: archive.Version, Index: index.Version, Identity: 1}
	for _, a := range s.Adapters {
		info := a.Info()
		v.Adapters = append(v.Adapters, AdapterVersion{Name: info.Name, Version: info.Version})
	}
	return v
}
