package eval

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// openCases reads testdata/NAME.json.gz, which testdata/NAME.py wrote.
func openCases[T any](t *testing.T, name string) *T {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name+".json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	decode := json.NewDecoder(z)
	decode.DisallowUnknownFields()
	cases := new(T)
	if err := decode.Decode(cases); err != nil {
		t.Fatal(err)
	}
	return cases
}
