package coles_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// fittedAnywhere are fits whose M has many null eigenvalues (fewer nodes than features, nodes
// without edges) or is null: bases of these eigenspaces are rounding's choice.
func fittedAnywhere() map[string]*mat.Dense {
	fits := make(map[string]*mat.Dense)
	for name, c := range map[string]struct {
		n, m, d int
		opts    []coles.Option
	}{
		"more features than nodes": {40, 80, 64, nil},
		"few edges":                {60, 25, 100, nil},
		"without negatives":        {8, 12, 25, []coles.Option{coles.WithEta(0)}},
		"all eigenvectors":         {100, 60, 80, []coles.Option{coles.WithDim(80)}},
		"without a null space":     {300, 900, 40, []coles.Option{coles.WithDim(20)}},
	} {
		rng := random(uint64(c.n))
		var list []coles.Edge
		for range c.m {
			list = append(list, coles.Edge{U: rng.IntN(c.n), V: rng.IntN(c.n)})
		}
		x := randomDense(rng, c.n, c.d)
		for _, p := range []coles.Precision{coles.Float64, coles.Float32} {
			opts := append(c.opts, coles.WithPrecision(p))
			fits[name+", "+p.String()] = must(coles.Fit(ctx, must(coles.NewGraph(c.n, list)), x, opts...)).Embedding()
		}
	}
	complete, x := completeGraph(30), randomDense(random(30), 30, 25)
	for _, s := range []coles.Solver{coles.SolverDirect, coles.SolverKrylov} { // M is zero
		opts := []coles.Option{coles.WithFilter(coles.SGC(2)), coles.WithFeatures(coles.PrepareNone), coles.WithSolver(s)}
		fits["complete, "+s.String()] = must(coles.Fit(ctx, complete, x, opts...)).Embedding()
	}
	return fits
}

// Whatever vector instructions there are, YYᵀ is the same to rounding: programs of their own
// fit the same inputs, since the instructions are chosen when a program starts.
func TestEmbeddingIsTheSameOnEveryKernel(t *testing.T) {
	const file = "COLES_TEST_FITS"
	if path := os.Getenv(file); path != "" {
		grams := make(map[string][]float64)
		for name, y := range fittedAnywhere() {
			grams[name] = product(y, y.T()).RawMatrix().Data
		}
		if err := os.WriteFile(path, must(json.Marshal(grams)), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	var first map[string][]float64
	for _, kernels := range []string{"portable", "avx2", "avx512"} {
		path := filepath.Join(t.TempDir(), kernels)
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), "COLES_KERNEL="+kernels, file+"="+path)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", kernels, err, out)
		}
		var fits map[string][]float64
		if err := json.Unmarshal(must(os.ReadFile(path)), &fits); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = fits
			continue
		}
		for name, gram := range fits {
			want := mat.NewVecDense(len(gram), first[name])
			var off mat.VecDense
			off.SubVec(mat.NewVecDense(len(gram), gram), want)
			tolerance := 1e-12
			if strings.HasSuffix(name, "float32") {
				tolerance = 1e-5
			}
			if got := mat.Norm(&off, 2) / mat.Norm(want, 2); !(got <= tolerance) {
				t.Errorf("%s, %s: YYᵀ is off by %.2g", kernels, name, got)
			}
		}
	}
}
