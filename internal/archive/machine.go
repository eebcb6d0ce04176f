package archive

import (
	"fmt"
	"strings"
)

// machineFact is the name of the fact that names an archive.
const machineFact = "machine"

// machineMark stands before the path of a file that another archive has kept: "@NAME:~/.claude/x.jsonl". Such a file is
// no file of this machine's sources, whatever stands at that path here.
const machineMark = "@"

// Machine returns the name of this archive, which was drawn when it was made. The files that it keeps itself are known
// under that name in every archive that they are brought to.
func (a *Archive) Machine() (name string, err error) {
	err = a.committedOrAhead("its name", func(q querier) error {
		return q.QueryRowContext(background, "SELECT value FROM fact WHERE name = ?", machineFact).Scan(&name)
	})
	return name, err
}

// ByMachine returns a key by which every archive that holds a file orders it alike: its path as the machine that kept it
// wrote it, then that machine.
func (a *Archive) ByMachine(path string) string {
	machine, rest := OtherMachine(path)
	if machine == "" {
		a.named.Do(func() { a.name, _ = a.Machine() }) // without a name it is still an order, of this archive's own
		machine = a.name
	}
	return rest + "\x00" + machine
}

// OtherMachine takes a path apart that another archive has kept: the name of that archive and the path as it wrote it.
// For a path of this machine the name is empty.
func OtherMachine(path string) (name, rest string) {
	if !strings.HasPrefix(path, machineMark) {
		return "", path
	}
	name, rest, ok := strings.Cut(path[len(machineMark):], ":")
	if !ok {
		return "", path
	}
	return name, rest
}

// qualified returns a path as every archive knows it.
func qualified(machine, path string) string {
	if name, _ := OtherMachine(path); name != "" {
		return path
	}
	return fmt.Sprintf("%s%s:%s", machineMark, machine, path)
}
