// Command gen writes the assembly of package kernel, the Go declarations that belong to it, and the
// innermost loop of the portable path. It writes them into the folder above the one in which it runs. It is a module of
// its own: who uses the library has no need of it.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
)

func main() {
	for name, text := range files() {
		if err := os.WriteFile(filepath.Join("..", name), text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// files is everything the generator makes, by name.
func files() map[string][]byte {
	made := map[string][]byte{"portabletile.go": portableTile()}
	for _, sets := range [][]isa{{avx512, avx2}, {neon}} {
		var all []function
		for _, s := range sets {
			for _, n := range []number{float64s, float32s} {
				w := &writer{isa: s, number: n}
				w.header()
				kernels := []func(*writer){tile, pack, spmm, symv4}
				if n == float64s {
					kernels = append(kernels, sturm)
				} else {
					kernels = append(kernels, narrow, widen, accumulate, exp, rowDots, rowSteps, rowFetch)
				}
				for _, write := range kernels {
					write(w)
				}
				made[fmt.Sprintf("%s_%s_%s.s", n.kind, s.file, s.arch)] = w.Bytes()
				all = append(all, w.functions...)
			}
		}
		made["kernels_"+sets[0].arch+".go"] = declarations(all)
	}
	return made
}
