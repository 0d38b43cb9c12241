package coles_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"runtime"
	"testing"

	"coles"

	"github.com/james-bowman/sparse"
)

// The spectrum of a long path is crowded at its top (gaps of π²/2n², 5e-7 here): an
// iteration that gives up says so, and how far it came.
func TestIterationThatGivesUp(t *testing.T) {
	const n = 3000
	var path []coles.Edge
	ptr, ind, val := []int{0}, []int(nil), []float64(nil)
	for i := range n {
		if i > 0 {
			path = append(path, coles.Edge{U: i - 1, V: i})
		}
		ptr, ind, val = append(ptr, i+1), append(ind, i), append(val, 1)
	}
	g := must(coles.NewGraph(n, path))
	dw := must(coles.Contrast(ctx, g, coles.NoNegatives()))
	_, err := coles.SolveImplicit(ctx, sparse.NewCSR(n, n, ptr, ind, val), coles.Normalize(g, coles.SelfLoops), coles.Identity(), dw, 1)
	var stopped *coles.ConvergenceError
	if !errors.As(err, &stopped) {
		t.Fatalf("error %v, want a ConvergenceError", err)
	}
	if stopped.Wanted != 1 || stopped.Converged != 0 || stopped.Partial != nil || !(stopped.Residual > 1e-7 && stopped.Residual < 1) {
		t.Errorf("%+v", stopped)
	}
}

// A file that declares 2⁴⁰ numbers, consistently, and has none takes no memory.
func TestDeclaredNumbersOfAGraphModel(t *testing.T) {
	header, _ := parts(tinyModels()["no features"])
	const n, d = 1 << 30, 1 << 10 // of which it has d λs and factors
	header["report"].(map[string]any)["graph"] = map[string]any{"nodes": n}
	header["dim"], header["names"] = d, nil
	header["lengths"] = []int64{d, d, n * d}
	file := assemble(2, must(json.Marshal(header)), make([]byte, 16*d))
	took := allocated(func() {
		_, err := coles.ReadModel(bytes.NewReader(file))
		if !errors.Is(err, coles.ErrChecksum) && !errors.Is(err, coles.ErrFormat) {
			t.Errorf("error is %v", err)
		}
	})
	if took > 1<<20 {
		t.Errorf("%d bytes taken for a file of %d", took, len(file))
	}
}

// allocated is how many bytes a call takes.
func allocated(call func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
