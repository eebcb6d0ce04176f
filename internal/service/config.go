package service

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lore/internal/config"
)

// ConfigRequest asks for the configuration, or for a change of it first.
type ConfigRequest struct {
	Change string // "" for none, "set", "add" or "remove"
	Key    string
	Values []string
}

// ConfigResult is the configuration.
type ConfigResult struct {
	Schema string      `json:"schema"` // "lore.config.v1"
	File   string      `json:"file"`
	Exists bool        `json:"exists"`
	Keys   []ConfigKey `json:"keys"` // all that there are
}

// ConfigKey is a key of the configuration with what it says.
type ConfigKey struct {
	Key    string   `json:"key"`
	What   string   `json:"what"`
	Values []string `json:"values"`
}

// configuration reads the configuration file. It is read where it is needed, and not when the program starts.
func (s *Service) configuration() (*config.Config, error) {
	if s.Config == "" {
		return &config.Config{}, nil
	}
	c, err := config.Load(s.Config)
	if err != nil {
		return nil, failf(Usage, err, "the configuration cannot be read: %v", err)
	}
	return c, nil
}

// Configure changes a key of the configuration file, if that is asked for, and returns what the file says then.
func (s *Service) Configure(_ context.Context, req ConfigRequest) (*ConfigResult, error) {
	if req.Change != "" {
		if err := s.changeConfig(req); err != nil {
			return nil, err
		}
	}
	c, err := s.configuration()
	if err != nil {
		return nil, err
	}
	res := &ConfigResult{Schema: "lore.config.v1", File: s.Config}
	if _, err := os.Stat(s.Config); err == nil {
		res.Exists = true
	}
	for _, k := range config.Keys {
		res.Keys = append(res.Keys, ConfigKey{Key: k.Name, What: k.What, Values: k.Values(c)})
	}
	return res, nil
}

func (s *Service) changeConfig(req ConfigRequest) error {
	k, ok := config.KeyOf(req.Key)
	if !ok {
		var names []string
		for _, k := range config.Keys {
			names = append(names, k.Name)
		}
		return failf(Usage, nil, "there is no key %q: take one of %s", req.Key, strings.Join(names, ", "))
	}
	if s.Config == "" {
		return failf(Usage, nil, "no place for the configuration: set HOME, or name the file with LORE_CONFIG")
	}
	values := slices.Clone(req.Values)
	for i := range values {
		var err error
		if values[i], err = s.configValue(k.Name, values[i], req.Change != "remove"); err != nil {
			return err
		}
	}
	change := map[string]func(string, config.Key, []string) error{"set": config.Set, "add": config.Add, "remove": config.Remove}[req.Change]
	err := change(s.Config, k, values)
	switch {
	case errors.Is(err, config.ErrNotThere):
		return failf(NotFound, err, "%s holds no %q; `lore config` shows what it holds", k.Name, strings.Join(req.Values, " "))
	case err != nil:
		return failf(Usage, err, "the configuration was not changed: %v", err)
	}
	return nil
}

// configValue checks a value, and makes a path that begins where the command runs one that means the same everywhere.
func (s *Service) configValue(key, v string, checked bool) (string, error) {
	if key == "exclude.sources" {
		one := config.Exclude{Sources: []string{v}}
		if checked && !slices.ContainsFunc(s.sourceNames(), one.Source) {
			return "", failf(Usage, nil, "there is no source %q; `lore sources` lists them", v)
		}
		return v, nil
	}
	path := key == "exclude.folders" || strings.ContainsAny(v, `/\`) || v == "." || v == ".."
	if !path || v == "~" || strings.HasPrefix(v, "~/") || strings.HasPrefix(v, "*") || filepath.IsAbs(v) {
		return v, nil
	}
	abs, err := filepath.Abs(v)
	if err != nil {
		return "", failf(Usage, err, "%q is no folder: %v", v, err)
	}
	return abs, nil
}
