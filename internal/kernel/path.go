package kernel

import (
	"os"
	"strings"

	"coles/internal/setting"
)

// path is one implementation of the innermost loops: the functions tile, pack, spmmRows, symv4,
// sturm and convert. Results differ between paths by rounding errors: a fused multiplication rounds
// once.
type path struct {
	name           string
	double, single shape // of the tiles with factors in float64 and in float32
}

// shape is the size of the largest tile of a product: rows × vecs·lanes entries, or maskedVecs
// where the last vector is used in part.
type shape struct {
	rows, lanes, vecs, maskedVecs int

	// packs reports whether the tiles need packed factors, however small.
	packs bool
}

// ahead is the part of a matrix to fetch, as it is used next. It begins at data, nil for nothing. Each step of the sums
// fetches a line, step numbers further than the last, or turn numbers further after as many steps as a tile has rows.
type ahead[T Float] struct {
	data       []T
	step, turn int
}

func shapeOf[T Float](p *path) shape {
	if isDouble[T]() {
		return p.double
	}
	return p.single
}

// active is the path in use. It is the best that the processor and its operating system support, unless the
// environment variable COLES_KERNEL names another when the program starts: avx512, avx2, neon or portable. A program
// built with the tag noasm has the portable path only. For a name that is unknown or not supported here it is the
// best path, and refused an error.
var (
	active  *path
	refused error
)

func init() { refused = Use(os.Getenv("COLES_KERNEL")) }

// Use changes the path, to the best for "", before the process computes anything: Path, and the bytes of
// results, are of the whole process. For a name that is not one of [Paths] it is the best, and an error.
func Use(name string) (err error) {
	active, err = choose(available(), name)
	return err
}

// Path is the name of the implementation in use: avx512, avx2, neon or portable.
func Path() string { return active.name }

// Check is an error, with the possible names, if COLES_KERNEL has another one. Every computation that can return an error asks
// before it begins: the environment should not end a program.
func Check() error { return refused }

// Paths are the names of the implementations that can be used here, the best first.
func Paths() []string { return names(available()) }

func names(list []*path) []string {
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.name
	}
	return names
}

// choose returns the path of the given name in a list, or else its first, the best, with an error
// unless the name is empty.
func choose(list []*path, name string) (*path, error) {
	if name == "" {
		return list[0], nil
	}
	for _, p := range list {
		if p.name == name {
			return p, nil
		}
	}
	return list[0], setting.Bad("COLES_KERNEL", name, "%s here", strings.Join(names(list), ", "))
}
