package service

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"lore/adapter"
	"lore/adapter/kit"
	"lore/internal/ingest"
)

// maxSettings is the size above which a file of settings is not read.
const maxSettings = 1 << 20

// retentionNote says what a product deletes by itself, and from when on. Empty when it deletes nothing.
func (s *Service) retentionNote(info adapter.Info, place ingest.Surveyed) string {
	r := info.Retention
	if r == nil || !place.Found {
		return ""
	}
	days, from := r.Days, "its default"
	if n, ok := settingDays(filepath.Join(s.expand(place.Name), filepath.FromSlash(r.File)), r.Key); ok {
		days, from = n, fmt.Sprintf("%s in %s/%s", r.Key, place.Name, r.File)
	}
	last := s.Now().In(s.zone()).AddDate(0, 0, -days).Format(time.DateOnly)
	return fmt.Sprintf("%s deletes a session %d days after its last activity (%s): what was not touched since %s goes at its next start; what lore has imported stays",
		info.Title, days, from, last)
}

func (s *Service) zone() *time.Location {
	if s.Zone != nil {
		return s.Zone
	}
	return time.UTC
}

// settingDays reads a number out of a JSON file of settings. A file that is not there, or says something else, says
// nothing.
func settingDays(name, key string) (int, bool) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSettings {
		return 0, false
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return 0, false
	}
	var doc kit.Doc
	v, err := doc.Parse(b)
	if err != nil {
		return 0, false
	}
	n, ok := v.Get(key).Int()
	return int(n), ok && n >= 0 && n < 1<<20
}
