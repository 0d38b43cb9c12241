// Command gen writes the assembly of package kernel, the Go declarations that belong to it, and the
// innermost loop of the portable path, into the directory of the package, in which go generate runs it.
package main

import (
	"log"
	"os"
)

func main() {
	for name, text := range files() {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// files is everything the generator makes, by name.
func files() map[string][]byte {
	made := map[string][]byte{}
	var all []function
	for _, s := range []isa{avx512, avx2} {
		for _, n := range []number{float64s, float32s} {
			w := &writer{isa: s, number: n}
			w.header()
			kernels := []func(*writer){tile, pack, spmm, peak, symv4}
			if n == float64s {
				kernels = append(kernels, sturm)
			} else {
				kernels = append(kernels, narrow, widen, accumulate, exp, rowDots, rowSteps, rowFetch)
			}
			for _, write := range kernels {
				write(w)
			}
			made[n.kind+"_"+s.file+"_amd64.s"] = w.Bytes()
			all = append(all, w.functions...)
		}
	}
	made["kernels_amd64.go"] = declarations(all)
	made["portabletile.go"] = portableTile()
	return made
}
