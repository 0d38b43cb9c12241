// Package labtest has the parts that tests of the laboratory share.
package labtest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"coles/dataset"
	"coles/internal/testkit"
)

// Long reports whether COLES_SHARED is set: where it is not, a test takes the small half of its cases.
func Long() bool { return os.Getenv("COLES_SHARED") != "" }

// Files writes texts to files of a folder.
func Files(t testing.TB, folder string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		path := filepath.Join(folder, filepath.FromSlash(name))
		testkit.Check(t, os.MkdirAll(filepath.Dir(path), 0o777))
		testkit.Check(t, os.WriteFile(path, []byte(text), 0o666))
	}
}

// Archive writes a data set to a folder, as the programs look for it there.
func Archive(t testing.TB, folder, name string, d *dataset.Dataset) {
	t.Helper()
	var b bytes.Buffer
	testkit.Check(t, dataset.WriteNPZ(&b, d))
	Files(t, folder, map[string]string{"npz/" + name + ".npz": b.String()})
}
