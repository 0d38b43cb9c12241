package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"coles/examples/shared/clitest"
	"coles/internal/testkit"
)

// A row is timed with both builds, which are the same program here, and no file is left.
func TestRow(t *testing.T) {
	testkit.Long(t)
	old := filepath.Join(t.TempDir(), "old")
	testkit.Check(t, build(t.Context(), old))
	clitest.NoLitter(t)
	stdout, _ := clitest.Run(t, run, "-rows", "csv", "-runs", "2", "-json", "-against", old)
	var r row
	testkit.Check(t, json.Unmarshal([]byte(stdout), &r))
	// A header of 128 bytes, and 256 float32 a row; written, none takes less than two bytes.
	if r.BytesRead != 128+19_717*256*4 || r.BytesWritten < 19_717*256*2 {
		t.Errorf("%d bytes read and %d written", r.BytesRead, r.BytesWritten)
	}
	if len(r.Seconds) != 2 || len(r.Against) != 2 || min(r.Seconds[0], r.Seconds[1], r.Against[0], r.Against[1]) <= 0 {
		t.Errorf("seconds %v and %v", r.Seconds, r.Against)
	}
}

// Every word of a command that looks like a file is one that there is a way to make.
func TestJobsNameFiles(t *testing.T) {
	for _, j := range jobs {
		archive := false
		for _, word := range strings.Fields(j.command) {
			archive = archive || strings.HasSuffix(word, ".npz")
			if strings.Contains(word, ".") && inputs[word] == nil && !strings.HasPrefix(word, "out.") && !strings.HasSuffix(word, ".npz") {
				t.Errorf("%v: nothing makes %s", j, word)
			}
		}
		if archive != j.archive {
			t.Errorf("%v: archive is %v", j, j.archive)
		}
	}
}

func TestRefusals(t *testing.T) {
	clitest.Refuses(t, run, []clitest.Refusal{
		{Name: "a row that is none", Args: []string{"-rows", "none"}, Text: `"none" is none of`},
		{Name: "an archive", Args: []string{"-rows", "cora"}, Text: "-data is needed"},
		{Name: "no run", Args: []string{"-runs", "0"}, Text: "-runs 0"},
		{Name: "no program", Args: []string{"-against", "/none"}, Text: "-against"},
		{Name: "a file", Args: []string{"more"}, Text: "unexpected argument"},
	})
}
