package service

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"
)

// UnitRequest asks for the file by which the system runs `lore watch` for the user.
type UnitRequest struct {
	GOOS    string
	Program string // absolute path of lore
}

// UnitResult is what became of it. Nothing is ever started or stopped: the commands for that are the user's.
type UnitResult struct {
	Schema  string   `json:"schema"` // "lore.service.v1"
	System  string   `json:"system"` // systemd, launchd, task-scheduler
	File    string   `json:"file"`
	State   string   `json:"state"`   // installed, outdated (install would write it otherwise), absent
	Changed bool     `json:"changed"` // this command has written or removed the file
	Start   []string `json:"start"`   // commands that have the system run it from now on
	Stop    []string `json:"stop"`    // commands that end that; before the file is removed
	Show    []string `json:"show"`    // commands that tell whether it runs

	Content string `json:"-"` // of the file, as text
}

// unitMark is in every file that lore has written: no other is ever changed or removed.
const unitMark = "written by `lore service install`"

// unit is a file for one system.
type unit struct {
	UnitResult
	bytes []byte
}

// InstallUnit writes the file, if it is not there as it should be.
func (s *Service) InstallUnit(_ context.Context, req UnitRequest) (*UnitResult, error) {
	u, err := s.unit(req)
	if err != nil || u.State == "installed" {
		return &u.UnitResult, err
	}
	if err := os.MkdirAll(filepath.Dir(u.File), 0o755); err != nil {
		return nil, s.failure(err)
	}
	tmp := u.File + ".lore-tmp"
	err = os.WriteFile(tmp, u.bytes, 0o644)
	if err == nil {
		err = os.Rename(tmp, u.File)
	}
	if err != nil {
		os.Remove(tmp)
		return nil, s.failure(err)
	}
	u.State, u.Changed = "installed", true
	return &u.UnitResult, nil
}

// UnitStatus tells whether the file is there.
func (s *Service) UnitStatus(_ context.Context, req UnitRequest) (*UnitResult, error) {
	u, err := s.unit(req)
	return &u.UnitResult, err
}

// RemoveUnit removes the file, if lore has written it.
func (s *Service) RemoveUnit(_ context.Context, req UnitRequest) (*UnitResult, error) {
	u, err := s.unit(req)
	if err != nil || u.State == "absent" {
		return &u.UnitResult, err
	}
	if err := os.Remove(u.File); err != nil {
		return nil, s.failure(err)
	}
	u.State, u.Changed = "absent", true
	return &u.UnitResult, nil
}

// unit makes the file of a system, and looks at what is there.
func (s *Service) unit(req UnitRequest) (*unit, error) {
	if s.Home == "" {
		return &unit{}, failf(Usage, nil, "no home folder is known: set HOME, or give one with --home")
	}
	var u *unit
	switch req.GOOS {
	case "darwin":
		u = s.launchd(req)
	case "windows":
		u = s.taskScheduler(req)
	default:
		u = s.systemd(req)
	}
	u.Schema = "lore.service.v1"
	b, err := os.ReadFile(u.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		u.State = "absent"
	case err != nil:
		return u, s.failure(err)
	case bytes.Equal(b, u.bytes):
		u.State = "installed"
	case !bytes.Contains(bytes.ReplaceAll(b, []byte{0}, nil), []byte(unitMark)):
		return u, failf(Usage, nil, "%q was not written by lore and is left alone: move it away first", u.File)
	default:
		u.State = "outdated"
	}
	return u, nil
}

// words are the command line that is run.
func (s *Service) unitWords(req UnitRequest) []string {
	words := []string{req.Program, "watch", "--dir", s.Dir}
	if s.OwnHome {
		words = append(words, "--home", s.Home)
	}
	return words
}

// unitEnv are the variables, set now, by which the agents' folders are found: the system's own environment lacks them.
func (s *Service) unitEnv() [][2]string {
	var list [][2]string
	if s.OwnHome || s.Env == nil {
		return nil
	}
	for _, a := range s.Adapters {
		for _, r := range a.Info().Roots {
			v := ""
			if r.Env != "" {
				v = s.Env(r.Env)
			}
			if x := [2]string{r.Env, v}; v != "" && !slices.Contains(list, x) {
				list = append(list, x)
			}
		}
	}
	slices.SortFunc(list, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return list
}

func (s *Service) systemd(req UnitRequest) *unit {
	base := filepath.Join(s.Home, ".config")
	if x := s.own("XDG_CONFIG_HOME"); filepath.IsAbs(x) {
		base = x
	}
	u := &unit{UnitResult: UnitResult{System: "systemd", File: filepath.Join(base, "systemd", "user", "lore.service"),
		Start: []string{"systemctl --user daemon-reload", "systemctl --user enable --now lore.service"},
		Stop:  []string{"systemctl --user disable --now lore.service"},
		Show:  []string{"systemctl --user status lore.service"}}}
	var words []string
	for _, w := range s.unitWords(req) {
		words = append(words, systemdQuote(strings.ReplaceAll(w, "$", "$$")))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n[Unit]\nDescription=lore keeps what you and your coding agents said\n\n[Service]\nExecStart=%s\n", unitMark, strings.Join(words, " "))
	for _, e := range s.unitEnv() {
		fmt.Fprintf(&b, "Environment=%s\n", systemdQuote(e[0]+"="+e[1]))
	}
	b.WriteString("Restart=on-failure\nRestartSec=30\nNice=10\nIOSchedulingClass=idle\n\n[Install]\nWantedBy=default.target\n")
	u.Content, u.bytes = b.String(), []byte(b.String())
	return u
}

// systemdQuote writes a word so that systemd takes it as it is.
func systemdQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "\n", `\n`, "\t", `\t`).Replace(s) + `"`
}

// launchdLabel names the job of launchd.
const launchdLabel = "lore.watch"

func (s *Service) launchd(req UnitRequest) *unit {
	file := filepath.Join(s.Home, "Library", "LaunchAgents", launchdLabel+".plist")
	u := &unit{UnitResult: UnitResult{System: "launchd", File: file,
		Start: []string{"launchctl bootstrap gui/$(id -u) " + shellQuote(file)},
		Stop:  []string{"launchctl bootout gui/$(id -u)/" + launchdLabel},
		Show:  []string{"launchctl print gui/$(id -u)/" + launchdLabel}}}
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- %s -->
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>%s</string>
	<key>ProgramArguments</key>
	<array>
`, unitMark, launchdLabel)
	for _, w := range s.unitWords(req) {
		fmt.Fprintf(&b, "\t\t<string>%s</string>\n", xmlText(w))
	}
	b.WriteString("\t</array>\n")
	if env := s.unitEnv(); len(env) > 0 {
		b.WriteString("\t<key>EnvironmentVariables</key>\n\t<dict>\n")
		for _, e := range env {
			fmt.Fprintf(&b, "\t\t<key>%s</key>\n\t\t<string>%s</string>\n", xmlText(e[0]), xmlText(e[1]))
		}
		b.WriteString("\t</dict>\n")
	}
	b.WriteString(`	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<dict>
		<key>SuccessfulExit</key>
		<false/>
	</dict>
	<key>ThrottleInterval</key>
	<integer>30</integer>
	<key>ProcessType</key>
	<string>Background</string>
	<key>LowPriorityIO</key>
	<true/>
</dict>
</plist>
`)
	u.Content, u.bytes = b.String(), []byte(b.String())
	return u
}

// taskName names the task of the Windows task scheduler.
const taskName = "lore watch"

func (s *Service) taskScheduler(req UnitRequest) *unit {
	file := filepath.Join(s.Dir, "lore-watch.xml")
	u := &unit{UnitResult: UnitResult{System: "task-scheduler", File: file,
		Start: []string{fmt.Sprintf(`schtasks /Create /F /TN "%s" /XML "%s"`, taskName, file), fmt.Sprintf(`schtasks /Run /TN "%s"`, taskName)},
		Stop:  []string{fmt.Sprintf(`schtasks /End /TN "%s"`, taskName), fmt.Sprintf(`schtasks /Delete /F /TN "%s"`, taskName)},
		Show:  []string{fmt.Sprintf(`schtasks /Query /TN "%s"`, taskName)}}}
	words := s.unitWords(req)
	var args []string
	for _, w := range words[1:] {
		args = append(args, windowsQuote(w))
	}
	u.Content = fmt.Sprintf(`<?xml version="1.0" encoding="UTF-16"?>
<!-- %s -->
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>lore keeps what you and your coding agents said</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Priority>8</Priority>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>3</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>%s</Command>
      <Arguments>%s</Arguments>
    </Exec>
  </Actions>
</Task>
`, unitMark, xmlText(words[0]), xmlText(strings.Join(args, " ")))
	u.bytes = []byte{0xff, 0xfe} // the task scheduler reads UTF-16
	for _, c := range utf16.Encode([]rune(strings.ReplaceAll(u.Content, "\n", "\r\n"))) {
		u.bytes = append(u.bytes, byte(c), byte(c>>8))
	}
	return u
}

func xmlText(s string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte(s))
	return b.String()
}

// windowsQuote writes a word as programs on Windows take their command line apart.
func windowsQuote(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\"") {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	slashes := 0
	for _, r := range s {
		if r == '\\' {
			slashes++
			continue
		}
		if r == '"' {
			slashes = 2*slashes + 1
		}
		b.WriteString(strings.Repeat(`\`, slashes))
		slashes = 0
		b.WriteRune(r)
	}
	b.WriteString(strings.Repeat(`\`, 2*slashes))
	b.WriteByte('"')
	return b.String()
}

// shellQuote writes a word for a POSIX shell.
func shellQuote(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%", r))
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// own returns a variable of the user's, where those count.
func (s *Service) own(name string) string {
	if s.OwnHome || s.Env == nil {
		return ""
	}
	return s.Env(name)
}
