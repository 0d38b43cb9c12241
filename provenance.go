package coles

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"strconv"

	"coles/internal/kernel"
	"coles/internal/strict"

	"gonum.org/v1/gonum/mat"
)

// A Provenance says what a model was made of, how, and by which version: with the same
// input, settings and version [Fit] makes it again, unless it was refitted.
type Provenance struct {
	// Input identifies the graph and the features.
	Input InputHash `json:"input"`
	// Settings are those of the fit, resolved; the seed is one of them.
	Settings Settings `json:"settings"`
	// Module is the version of this module in the program that fitted, as
	// [ModuleVersion] says, or "" in a model from a file of version 1.
	Module string `json:"module"`
	// Refitted says that [Growing.Refit] made the model, which prepares features, and takes
	// the covariance share, as the fit before the graph grew did.
	Refitted bool `json:"refitted,omitempty"`
	// Format is the version of the file that the model was read from, or of the one it
	// would be written to.
	Format int `json:"format"`
}

// Provenance tells where the model comes from. It is kept in its file.
func (m *Model) Provenance() Provenance {
	if m == nil || m.ids == nil {
		return Provenance{}
	}
	return Provenance{m.input, m.settings, m.module, m.refitted, m.format}
}

// An InputHash identifies the input of a fit by two numbers of 64 bits, in 16 hexadecimal
// digits each. Other inputs have other hashes unless by a chance of 2⁻⁶⁴; it is no guard
// against malice. Models from files of version 1 have none: both are "".
type InputHash struct {
	Graph    string `json:"graph"`              // of the adjacency matrix; not of node ids
	Features string `json:"features,omitempty"` // of X as it came in; "" without features
}

// HashInput returns the hash of a graph and features, nil for none: what
// [Model.Provenance] says of a model fitted to them. The same matrix has the same hash in
// whatever type it comes. The time is O(m + n·d), or O(m + nnz(X)) where X is sparse.
//
// Of a matrix, the hash takes the numbers of rows and columns and, row by row, column and
// value of every entry that is not zero:
//
//	h ← mix(h, v) = y ⊕ ⌊y/2³²⌋,  y = (h ⊕ v)·0x9e3779b97f4a7c15 mod 2⁶⁴
//
// with h = 0 at the beginning of a row and v the 64 bits of the value, ⊕ its column, from
// 1, times 0xd6e8feb86659fd93. The hash of the matrix is mixed of both sizes and the
// hashes of the rows in their order.
//
// Errors: [ErrEmpty], [ErrShape], [ErrNotFinite], and ctx's.
func HashInput(ctx context.Context, g *Graph, x mat.Matrix) (InputHash, error) {
	if err := checkContext(ctx); err != nil {
		return InputHash{}, err
	}
	if err := g.check(); err != nil {
		return InputHash{}, err
	}
	if x == nil {
		return hashInput(ctx, g, nil)
	}
	f, err := readFeatures(ctx, x)
	if err != nil {
		return InputHash{}, err
	}
	if f.rows() != g.Nodes() {
		return InputHash{}, fmt.Errorf("coles: hash: %w: %d feature rows for %d nodes", ErrShape, f.rows(), g.Nodes())
	}
	return hashInput(ctx, g, f)
}

func hashInput(ctx context.Context, g *Graph, x *features) (InputHash, error) {
	adjacency, err := rowHashes(ctx, g.adj.Rows, rowsOf(g.adj))
	if err != nil {
		return InputHash{}, err
	}
	graph := hashOf(adjacency, g.adj.Cols)
	if x == nil {
		return InputHash{Graph: graph}, nil
	}
	rows, err := rowHashes(ctx, x.rows(), x.eachRow)
	return InputHash{graph, hashOf(rows, x.cols())}, err
}

// rowsOf visits the rows of a matrix as [features] do theirs.
func rowsOf(a *kernel.CSR[float64]) func(lo, hi int, visit func(i int, cols []int32, vals []float64)) {
	return (&features{sparse: a}).eachRow
}

// rowHashes hashes the rows of a matrix, on all processors.
func rowHashes(ctx context.Context, rows int, each func(lo, hi int, visit func(i int, cols []int32, vals []float64))) ([]uint64, error) {
	hashes := make([]uint64, rows)
	return hashes, eachBlock(ctx, rows, func(lo, hi int) {
		each(lo, hi, func(i int, cols []int32, vals []float64) { hashes[i] = hashRow(cols, vals) })
	})
}

// hashOf is the hash of a matrix with these rows.
func hashOf(rows []uint64, cols int) string {
	h := mix(mix(0, uint64(len(rows))), uint64(cols))
	for _, r := range rows {
		h = mix(h, r)
	}
	return fmt.Sprintf("%016x", h)
}

func hashRow(cols []int32, vals []float64) uint64 {
	h := uint64(0)
	for q, v := range vals {
		if v != 0 { // a stored zero is no entry
			j := uint64(q)
			if cols != nil {
				j = uint64(cols[q])
			}
			h = mix(h, math.Float64bits(v)^(j+1)*0xd6e8feb86659fd93)
		}
	}
	return h
}

func mix(h, v uint64) uint64 {
	y := (h ^ v) * 0x9e3779b97f4a7c15
	return y ^ y>>32
}

// UnmarshalJSON reads a hash.
//
// Errors: [ErrFormat] for what is none.
func (h *InputHash) UnmarshalJSON(text []byte) error {
	type plain InputHash
	var read plain
	if err := strict.Unmarshal(text, &read, ErrFormat); err != nil {
		return fmt.Errorf("coles: hash of an input: %w", err)
	}
	for _, digits := range []string{read.Graph, read.Features} {
		if _, err := strconv.ParseUint(digits, 16, 64); digits != "" && (err != nil || len(digits) != 16) {
			return fmt.Errorf("coles: hash of an input: %w: %q, want 16 hexadecimal digits", ErrFormat, digits)
		}
	}
	*h = InputHash(read)
	return nil
}

// ModuleVersion is the version of this module in the program that runs: that of its
// requirement or replacement, such as v0.3.0, or "(devel)" where a checkout was built
// that says none.
func ModuleVersion() string {
	const unknown = "(devel)"
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return unknown
	}
	for _, m := range append(b.Deps, &b.Main) {
		if m.Path != "coles" {
			continue
		}
		if m.Replace != nil {
			m = m.Replace
		}
		if m.Version != "" {
			return m.Version
		}
	}
	return unknown
}
