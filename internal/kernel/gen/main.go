// Command gen writes the assembly of package kernel, the Go declarations that belong to it, and the
// innermost loop of the portable path. It is run in the directory of the package, by go generate;
// with -check it writes nothing and fails if a file is not what it would write.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	check := flag.Bool("check", false, "compare the files instead of writing them")
	dir := flag.String("dir", ".", "directory of package kernel")
	flag.Parse()
	stale := 0
	for name, text := range files() {
		path := filepath.Join(*dir, name)
		if !*check {
			if err := os.WriteFile(path, text, 0o644); err != nil {
				fail(err)
			}
			continue
		}
		switch got, err := os.ReadFile(path); {
		case err != nil:
			fail(err)
		case !bytes.Equal(got, text):
			fmt.Fprintf(os.Stderr, "%s is not what the generator writes; run go generate\n", path)
			stale++
		}
	}
	if stale > 0 {
		os.Exit(1)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// files is everything the generator makes, by name.
func files() map[string][]byte {
	made := map[string][]byte{}
	var all []function
	for _, s := range []isa{avx512, avx2} {
		for _, n := range []number{float64s, float32s} {
			w := &writer{isa: s, number: n}
			w.header()
			for _, f := range []func(*writer){tile, pack, spmm, peak, symv4} {
				f(w)
			}
			if n == float64s {
				sturm(w)
			}
			if n == float32s {
				narrow(w)
				widen(w)
				accumulate(w)
				exp(w)
				rowDots(w)
				rowSteps(w)
				rowFetch(w)
			}
			made[n.kind+"_"+s.file+"_amd64.s"] = w.Bytes()
			all = append(all, w.functions...)
		}
	}
	made["kernels_amd64.go"] = declarations(all)
	made["portabletile.go"] = portableTile()
	return made
}
