package query

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every example of docs/QUERY.md is read as the page says.
func TestExamplesOfTheManual(t *testing.T) {
	page := manual(t)
	row := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| [^|]+ \\| `([^`]+)` \\|$")
	examples := row.FindAllStringSubmatch(page, -1)
	if rows := strings.Count(page, "| you write |"); rows == 0 || len(examples) < 30 {
		t.Fatalf("%d examples in %d tables", len(examples), rows)
	}
	for _, e := range examples {
		q, _, err := Parse(e[1], testEnv(t))
		if err != nil {
			t.Errorf("%s: %v", e[1], err)
		} else if diff := cmp.Diff(e[2], tree(q.Root)); diff != "" {
			t.Errorf("%s (-page +got):\n%s", e[1], diff)
		}
	}
}

// The page names every field with its alias, and every valid value.
func TestFieldsOfTheManual(t *testing.T) {
	page := manual(t)
	for name, f := range fields {
		if !strings.Contains(page, "`"+name+":`") {
			t.Errorf("the page does not name %s:", name)
		}
		for _, v := range f.values {
			if !slices.Contains(strings.Split(page, "`"), v) {
				t.Errorf("the page does not name the value %s of %s:", v, name)
			}
		}
	}
}

func manual(t *testing.T) string {
	page, err := os.ReadFile("../../docs/QUERY.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}
