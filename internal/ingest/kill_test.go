package ingest_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"

	"lore/internal/ingest"
)

// childEnv makes the test binary an import of one home, to be killed.
const childEnv = "LORE_TEST_IMPORT"

func TestMain(m *testing.M) {
	if home := os.Getenv(childEnv); home != "" {
		list := adapters()
		memory, err := strconv.ParseInt(cmp.Or(os.Getenv(childEnv+"_MEMORY"), "67108864"), 10, 64)
		if err != nil {
			panic(err)
		}
		_, err = ingest.Run(context.Background(), ingest.Options{Dir: os.Getenv(childEnv + "_DIR"),
			Machine: ingest.Machine{Home: home}, Adapters: list, Memory: memory})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if status, err := os.ReadFile("/proc/self/status"); err == nil { // for what is asked about its memory
			os.Stdout.Write(status)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestKilledImportLosesNothing kills an import twenty times at random moments. The import after it has to give the same
// archive, ids and search results as one that nobody disturbed.
func TestKilledImportLosesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("starts twenty processes")
	}
	m := newMachine(t)
	for i := range 40 {
		id := fmt.Sprintf("%08x-0000-4000-8000-000000000000", i+1)
		m.write(sessionPath(id), session(id, 120, func(k int) string {
			return fmt.Sprintf("prompt %d of %d about the heron and case%d with a body long enough to fill blocks %x", k, i, i*k, i*7919*k)
		}))
	}
	questions := []string{"heron", "case39", `"prompt 7 of 3"`}
	began := time.Now()
	m.imports()
	took := time.Since(began)
	want := m.tell(questions...)

	random := rand.New(rand.NewPCG(1, 2))
	killed := newMachine(t)
	killed.home = m.home
	for range 20 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childEnv+"="+m.home, childEnv+"_DIR="+killed.dir)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(random.Int64N(int64(took))))
		child.Process.Kill()
		child.Wait()
		if random.IntN(4) == 0 {
			os.RemoveAll(killed.dir) // begin again, so that early moments are met more than once
		}
	}
	killed.imports()
	if d := diff.Diff(want, killed.tell(questions...)); d != "" {
		t.Errorf("after twenty kills (-undisturbed +killed):\n%.4000s", d)
	}
}
