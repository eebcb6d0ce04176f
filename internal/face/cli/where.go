package cli

import (
	"path/filepath"

	"lore/internal/service"
)

// service returns the service of this run: the program's own, with the folders that flags and environment say.
func (p *Program) service() (*service.Service, error) {
	s := p.Service
	if p.flags.home != "" {
		home, err := filepath.Abs(p.flags.home)
		if err != nil {
			return nil, usage("--home %q is no folder: %v", p.flags.home, err)
		}
		s.Home, s.OwnHome = home, true
	}
	dir, err := p.dataDir()
	if err != nil {
		return nil, err
	}
	s.Dir = dir
	s.Config = p.configFile()
	s.Progress = p.progress().show
	return &s, nil
}

// dataDir returns lore's own folder: --dir, else LORE_DIR, else the usual place of the system.
func (p *Program) dataDir() (string, error) {
	for _, dir := range []string{p.flags.dir, p.Getenv("LORE_DIR")} {
		if dir != "" {
			abs, err := filepath.Abs(dir)
			if err != nil {
				return "", usage("lore's folder %q is no folder: %v", dir, err)
			}
			return abs, nil
		}
	}
	if dir := usualDir(p.GOOS, p.Getenv, p.Service.Home); dir != "" {
		return dir, nil
	}
	return "", usage("no folder for lore's data: set HOME, or give one with --dir")
}

// usualDir returns where a system keeps a program's data; empty when the environment does not say.
func usualDir(goos string, getenv func(string) string, home string) string {
	below := func(base string, path ...string) string {
		if base == "" || !filepath.IsAbs(base) {
			return ""
		}
		return filepath.Join(append([]string{base}, path...)...)
	}
	switch goos {
	case "windows":
		if dir := below(getenv("LocalAppData"), "lore"); dir != "" {
			return dir
		}
		return below(home, "AppData", "Local", "lore")
	case "darwin":
		return below(home, "Library", "Application Support", "lore")
	}
	// A relative XDG_DATA_HOME is to be ignored, says its specification.
	if dir := below(getenv("XDG_DATA_HOME"), "lore"); dir != "" {
		return dir
	}
	return below(home, ".local", "share", "lore")
}
