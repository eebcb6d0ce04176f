package opencode

import (
	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// ranges are the rows that name the parts of a database. Those of messages and parts are told by the column that names
// their session.
var ranges = []adapter.Range{{Table: tableProject}, {Table: tableSession}}

// projectPart is how the names of parts begin that hold a project, with its sessions but without their messages. The
// other parts are a session each.
const projectPart = "project:"

// split parts a database by session, so that a new message makes one conversation be read again and not all.
var split = adapter.Split{
	Of: func(table, key string) string {
		switch table {
		case tableSession:
			return key
		case tableProject:
			return projectPart + key
		}
		return ""
	},
	Ranges: func(part string) []adapter.Range {
		if id := part[min(len(part), len(projectPart)):]; part == projectPart+id {
			return []adapter.Range{{Table: tableProject, From: id}, {Table: tableSession, Column: "project_id", From: id}}
		}
		return []adapter.Range{{Table: tableSession, From: part}, {Table: tableMessage, Column: "session_id", From: part},
			{Table: tablePart, Column: "session_id", From: part}}
	},
	Members: []adapter.Column{{Table: tableMessage, Name: "session_id"}, {Table: tablePart, Name: "session_id"}},
}

// project tells of sessions that do not say their folder which one it is.
func (d *database) project(id string, rest *talk) error {
	worktree := ""
	if err := d.query(kit.Query{Table: tableProject, From: id, Columns: []string{"worktree"}}, func(row kit.Row) error {
		worktree = valid(row.Get("worktree").Text())
		rest.ledger.Skip(tableProject)
		return nil
	}); err != nil {
		return err
	}
	if err := d.query(kit.Query{Table: tableSession, Columns: []string{"directory"}}, func(row kit.Row) error {
		rest.ledger.Merge(1)
		if worktree == "" || !row.Get("directory").IsAbsent() {
			return nil
		}
		c := facts(d.in)
		c.Native, c.Kind = row.Key.Text(), lore.Main
		c.Project = lore.Project{Dir: worktree, Name: kit.ProjectName(worktree)}
		if !rest.yield(c, nil) {
			return kit.ErrStopped
		}
		return nil
	}); err != nil {
		return err
	}
	d.sessions[""] = true // a project without sessions is nothing to tell
	return d.whole(rest)
}
