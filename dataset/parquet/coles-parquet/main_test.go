package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// What is written is read as it was, and standard output has what coles reads.
func TestThereAndBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vectors.parquet")
	const text = `{"id":"a, b","vector":[1,0.5]}` + "\n" + `{"id":"c","vector":[-2,3]}` + "\n"
	if err := run("write", path, strings.NewReader(text), nil); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run("vectors", path, nil, &out); err != nil || out.String() != "id,x0,x1\n\"a, b\",1,0.5\nc,-2,3\n" {
		t.Errorf("%v, %q", err, out.String())
	}
	out.Reset()
	if err := run("table", path, nil, &out); err != nil || out.String() != "id,vector\n\"a, b\",\"[1,0.5]\"\nc,\"[-2,3]\"\n" {
		t.Errorf("%v, %q", err, out.String())
	}
	for _, what := range []string{"edges", "columns"} { // it has no edges
		if err := run(what, path, nil, &out); err == nil {
			t.Errorf("%s of vectors: no error", what)
		}
	}
	if err := run("write", path, strings.NewReader("a,1\nb,red\n"), nil); err == nil {
		t.Error("text is written as a vector")
	}
}
