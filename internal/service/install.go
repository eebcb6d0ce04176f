package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"lore/internal/agents"
)

// InstallRequest puts lore into the configuration of agents, or takes it out.
type InstallRequest struct {
	Agents []string // names; none, or "all": those that are on the machine
	Remove bool
	Hooks  bool // also hooks that add what is recalled to a session and to a prompt
	DryRun bool // plan, and write nothing

	// Command is how an agent starts lore, and Args what comes before the subcommand.
	Command string
	Args    []string

	// Show is told the plan before anything is written; nil: nobody is. An error of it ends the operation.
	Show func(*InstallResult) error
}

// InstallResult is what becomes, or would become, of each file.
type InstallResult struct {
	Schema string       `json:"schema"` // "lore.install.v1"
	Remove bool         `json:"remove"`
	DryRun bool         `json:"dry_run"`
	Agents []string     `json:"agents"`
	Files  []FileChange `json:"files"`
}

// FileChange is what becomes of one file.
type FileChange struct {
	Agent  string `json:"agent"`
	Path   string `json:"path"`
	Action string `json:"action"` // "create", "change", "remove", "unchanged" or "left"
	Note   string `json:"note,omitempty"`
	Before string `json:"before,omitempty"` // what the file holds; only where that changes
	After  string `json:"after,omitempty"`
}

// tracesFile remembers what installs have put where, in lore's own folder.
const tracesFile = "agents.json"

// Install plans, shows and writes. Where any file of any of the agents cannot be changed safely nothing is written.
func (s *Service) Install(_ context.Context, req InstallRequest) (*InstallResult, error) {
	machine := &agents.Machine{Home: s.Home, Getenv: s.Env}
	if s.OwnHome {
		machine.Getenv = nil
	}
	list, err := chosen(req, machine)
	if err != nil {
		return nil, err
	}
	traces, err := s.traces()
	if err != nil {
		return nil, err
	}
	var changes []agents.Change
	res := &InstallResult{Schema: "lore.install.v1", Remove: req.Remove, DryRun: req.DryRun, Agents: []string{}, Files: []FileChange{}}
	for _, a := range list {
		var some []agents.Change
		if req.Remove {
			some, err = agents.Uninstall(a, machine, traces)
		} else {
			some, err = agents.Install(a, machine, agents.Command{Path: req.Command, Args: req.Args}, req.Hooks || hooked(traces, a), traces)
		}
		if err != nil {
			return nil, failf(Usage, err, "%v", err)
		}
		changes = append(changes, some...)
		res.Agents = append(res.Agents, a.Name)
	}
	for i := range changes {
		res.Files = append(res.Files, fileChange(&changes[i]))
	}
	if req.Show != nil {
		if err := req.Show(res); err != nil {
			return nil, err
		}
	}
	if req.DryRun {
		return res, nil
	}
	traces, err = agents.Apply(changes, traces, req.Remove)
	if saved := s.saveTraces(traces); err == nil {
		err = saved
	}
	if err != nil {
		return nil, failf(Internal, err, "%v", err)
	}
	return res, nil
}

// chosen returns the agents that a request is about.
func chosen(req InstallRequest, m *agents.Machine) (list []*agents.Agent, err error) {
	var names []string
	for _, a := range agents.All {
		names = append(names, a.Name)
	}
	if len(req.Agents) == 0 || len(req.Agents) == 1 && req.Agents[0] == "all" {
		for _, a := range agents.All {
			if req.Remove || a.Found(m) {
				list = append(list, a)
			}
		}
		if len(list) == 0 {
			return nil, failf(NotFound, nil, "no agent is found below %q; name one of %s to make its files", m.Home, strings.Join(names, ", "))
		}
		return list, nil
	}
	for _, name := range req.Agents {
		a := agents.Named(name)
		if a == nil {
			return nil, failf(Usage, nil, "no agent is named %q; use %s or all", name, strings.Join(names, ", "))
		}
		list = append(list, a)
	}
	return list, nil
}

// hooked reports whether an agent has been given hooks before: to install again does not take them away.
func hooked(traces []agents.Trace, a *agents.Agent) bool {
	for _, t := range traces {
		if t.Agent != a.Name {
			continue
		}
		for _, e := range t.Entries {
			if strings.HasPrefix(e, "hooks\x00") {
				return true
			}
		}
	}
	return false
}

func fileChange(c *agents.Change) FileChange {
	f := FileChange{Agent: c.Agent, Path: c.Path, Note: c.Note, Before: string(c.Before), After: string(c.After)}
	switch {
	case c.Note != "":
		f.Action = "left"
	case c.Gone:
		f.Action, f.After = "remove", ""
	case !c.Existed:
		f.Action = "create"
	case c.Changed():
		f.Action = "change"
	default:
		f.Action = "unchanged"
	}
	if f.Action == "left" || f.Action == "unchanged" {
		f.Before, f.After = "", ""
	}
	return f
}

// traces reads what former installs have put where.
func (s *Service) traces() ([]agents.Trace, error) {
	path := filepath.Join(s.Dir, tracesFile)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []agents.Trace
	if err == nil {
		err = json.Unmarshal(b, &all)
	}
	if err != nil {
		return nil, failf(Internal, err, "cannot read %q: %v; move it away, entries are then found by their names", path, err)
	}
	return all, nil
}

// saveTraces keeps what has been put where; nothing is kept where nothing is known.
func (s *Service) saveTraces(all []agents.Trace) error {
	path := filepath.Join(s.Dir, tracesFile)
	if len(all) == 0 {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	b, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return fmt.Errorf("cannot write down what was installed: %w", err)
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", b, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
