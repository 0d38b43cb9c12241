package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coles"
	"coles/examples/shared/clitest"
)

func TestEmbed(t *testing.T) {
	dir := t.TempDir()
	stdout, _ := clitest.Run(t, run, "-o", dir)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if len(lines) != 7 || !strings.HasPrefix(lines[6], "gil ") {
		t.Errorf("not a row for each friend, the new one last:\n%s", stdout)
	}
	clitest.Run(t, run, "-o", dir, "-vectors", "friends.csv")
	for name, want := range map[string]string{"friends.txt": "6 2\nann ", "friends.csv": "id,x0,x1\nann,"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.HasPrefix(string(text), want) {
			t.Errorf("%s begins with %.20q (%v)", name, text, err)
		}
	}
	clitest.Refuses(t, run, []clitest.Refusal{
		{Name: "no folder", Args: []string{"-o", filepath.Join(dir, "none")}, Text: "none", Is: os.ErrNotExist},
		{Name: "no format", Args: []string{"-o", dir, "-vectors", "friends.xls"}, Text: "friends.xls", Is: coles.ErrFormat},
	})
}
