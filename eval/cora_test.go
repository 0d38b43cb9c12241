package eval_test

import (
	"archive/zip"
	"context"
	"fmt"
	"math"
	"testing"

	"coles/dataset"
	"coles/eval"
	"coles/internal/eigen"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/testkit"
	"coles/learn"
	"coles/plane"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// fixture reads arrays of the reference archive of Cora, which NumPy, SciPy and scikit-learn wrote.
type fixture struct {
	testing.TB
	*zip.ReadCloser
}

func openFixture(t testing.TB) fixture {
	t.Helper()
	r := testkit.Must(zip.OpenReader(testkit.Shared(t, "reference", "cora_fixture.npz")))
	t.Cleanup(func() { r.Close() })
	return fixture{t, r}
}

func (f fixture) matrix(key string) *mat.Dense {
	f.Helper()
	file, err := f.Open(key + ".npy")
	if err != nil {
		f.Fatal(err)
	}
	defer file.Close()
	return testkit.Must(dataset.ReadNPY(file))
}

func (f fixture) floats(key string) []float64 { return f.matrix(key).RawMatrix().Data }

func (f fixture) ints(key string) []int {
	values := f.floats(key)
	out := make([]int, len(values))
	for i, v := range values {
		out[i] = int(v)
	}
	return out
}

// addTimes adds c·A·x to y, A given by its entries in the archive.
func (f fixture) addTimes(c float64, key string, x, y *mat.Dense) {
	row, col, val := f.ints(key+"_row"), f.ints(key+"_col"), f.floats(key+"_val")
	for e, i := range row {
		floats.AddScaled(y.RawRowView(i), c*val[e], x.RawRowView(col[e]))
	}
}

// s2gc applies the filter of the S²GC authors, (X + Σ₁ᴷ WᵏX)/K with K = 8, to Cora's features as
// stored: W from the archive, the sum entry by entry, so that nothing of the filter under test
// elsewhere is used here.
func (f fixture) s2gc(x mat.Matrix) *mat.Dense {
	f.Helper()
	const hops = 8
	n, d := x.Dims()
	hop, sum := mat.DenseCopyOf(x), mat.DenseCopyOf(x)
	for range hops {
		next := mat.NewDense(n, d, nil)
		f.addTimes(1, "W_selfloop", hop, next)
		sum.Add(sum, next)
		hop = next
	}
	sum.Scale(1.0/hops, sum)
	testkit.WantClose(f, "the filtered features", sum.Slice(0, 20, 0, d), f.matrix("FX_first20_s2gc_code_K8"), 1e-12)
	return sum
}

// embeddings rebuilds the embeddings behind the accuracies of the archive from its graphs: with P
// the 512 leading eigenvectors of M = (FX)ᵀ(W⁺ − 0.9·W⁻)FX,
//
//	raw   FX·Pᵀ
//	p0.5  FX·Pᵀ·diag(max(λ, 0)^½), mean row norm 8
//	F1    FX·D^-½·Pᵀ·diag(λ), D_ii = ‖M_i‖², mean row norm 8
func (f fixture) embeddings(features *mat.Dense) map[string]*mat.Dense {
	f.Helper()
	const dim = 512
	n, d := features.Dims()
	contrast := mat.NewDense(n, d, nil)
	f.addTimes(1, "Wplus", features, contrast)
	f.addTimes(-0.9, "Wneg", features, contrast)
	fx, m := kernel.Matrix[float64](features.RawMatrix()), kernel.Dense[float64](d, d)
	if err := kernel.Gram(context.Background(), 1, fx, kernel.Matrix[float64](contrast.RawMatrix()), m); err != nil {
		f.Fatal(err)
	}
	kernel.MirrorUpper(m)
	norms := testkit.Must(matrix.Lengths(context.Background(), matrix.Of(m))) // before M is overwritten
	pairs := testkit.Must(eigen.Direct(context.Background(), m, dim))
	if !floats.EqualApprox(pairs.Values, f.floats("M_eig_all")[:dim], 1e-9*pairs.Values[0]) {
		f.Fatal("the eigenvalues are not the reference's")
	}
	root, full, whitened := mat.NewDense(d, dim, nil), mat.NewDense(d, dim, nil), mat.NewDense(d, dim, nil)
	for i := range d {
		for k, lambda := range pairs.Values {
			v := pairs.Vectors.Data[k*pairs.Vectors.Stride+i]
			full.Set(i, k, v)
			root.Set(i, k, v*math.Sqrt(max(lambda, 0)))
			if norms[i] > 0 {
				whitened.Set(i, k, v*lambda/norms[i])
			}
		}
	}
	project := func(p mat.Matrix) *mat.Dense {
		_, k := p.Dims()
		e := kernel.Dense[float64](n, k)
		if err := kernel.Gemm(context.Background(), false, false, 1, fx, kernel.Matrix[float64](mat.DenseCopyOf(p).RawMatrix()), 0, e); err != nil {
			f.Fatal(err)
		}
		return matrix.ToDense(e)
	}
	scaled := func(p mat.Matrix) *mat.Dense {
		e := project(p)
		lengths := testkit.Must(matrix.Lengths(context.Background(), matrix.Of(kernel.Matrix[float64](e.RawMatrix()))))
		e.Scale(8*float64(n)/floats.Sum(lengths), e)
		return e
	}
	return map[string]*mat.Dense{
		"raw_d512":            project(full),
		"p0.5_meannorm8_d512": scaled(root),
		"p0.5_meannorm8_d32":  scaled(root.Slice(0, d, 0, 32)),
		"F1_meannorm8_d512":   scaled(whitened),
		"F1_meannorm8_d32":    scaled(whitened.Slice(0, d, 0, 32)),
	}
}

func coraSplits(t testing.TB, perClass int) []dataset.Split {
	t.Helper()
	return testkit.Must(dataset.OpenSplits(testkit.Shared(t, "data", "splits", fmt.Sprintf("cora_%d.json", perClass)), 2708))
}

// The reference is scikit-learn's liblinear run to a tolerance of 1e-10.
func TestLogisticRegressionEqualsConvergedScikitLearn(t *testing.T) {
	f := openFixture(t)
	x := f.matrix("emb_F1_meannorm8_d32")
	m := testkit.Must(learn.LogisticRegression{}.Fit(context.Background(), x, f.ints("train5_split0"), f.ints("labels")))
	testkit.WantClose(t, "the coefficients", m.Coef, f.matrix("lr_split0_5_coef"), 1e-6)
	if want := f.floats("lr_split0_5_intercept"); !floats.EqualApprox(m.Intercept, want, 1e-6) {
		t.Errorf("intercepts %v, want %v", m.Intercept, want)
	}
	testkit.WantSame(t, "what is predicted", testkit.Must(m.Predict(context.Background(), x, nil)), f.ints("lr_split0_5_pred"))
}

// The reference accuracies come from scikit-learn at its default tolerance of 1e-4, which is not
// quite the optimum: run to 1e-10, scikit-learn itself differs from them by one node in the number
// of splits given here, and by nothing in the others.
//
// The other figures are the rows S²GC and PCA-S²GC of the paper's table 1 (Cora, 5 and 20 labels a class, 512
// dimensions); the measured standard deviation over ten splits is the tolerance.
func TestCoraReproduced(t *testing.T) {
	testkit.Long(t)
	f := openFixture(t)
	cora := testkit.Must(dataset.Open(testkit.Shared(t, "data", "npz", "cora.npz"), dataset.ReadNPZ))
	x := f.s2gc(cora.Features)
	embeddings := f.embeddings(x)
	splits := map[int][]dataset.Split{5: coraSplits(t, 5), 20: coraSplits(t, 20)}
	for name, differ := range map[string]map[int]int{
		"raw_d512":            {5: 0, 20: 0},
		"p0.5_meannorm8_d512": {5: 1, 20: 2},
		"p0.5_meannorm8_d32":  {5: 2, 20: 3},
		"F1_meannorm8_d512":   {5: 0, 20: 5},
		"F1_meannorm8_d32":    {5: 0, 20: 5},
	} {
		for per, allowed := range differ {
			got := testkit.Must(eval.Protocol{}.Classify(context.Background(), embeddings[name], cora.Labels, splits[per]))
			key, found := fmt.Sprintf("acc%d_%s", per, name), 0
			for s, want := range f.floats(key) {
				nodes := float64(len(splits[per][s].TestNodes(len(cora.Labels))))
				switch off := math.Abs(100*got.Each[s]-want) * nodes / 100; {
				case off > 1.001:
					t.Errorf("%s, split %d: %.4f %%, want %.4f", key, s, 100*got.Each[s], want)
				case off > 0.001:
					found++
				}
			}
			if found != allowed {
				t.Errorf("%s: %d splits differ by a node, converged scikit-learn differs in %d", key, found, allowed)
			}
		}
	}
	for name, c := range map[string]struct {
		x     *mat.Dense
		paper map[int]float64
	}{
		"S2GC":     {x, map[int]float64{5: 71.4, 20: 81.3}},
		"PCA-S2GC": {testkit.Must(plane.PCA(context.Background(), x, 512)), map[int]float64{5: 72.1, 20: 81.2}},
	} {
		for per, paper := range c.paper {
			got := testkit.Must(eval.Protocol{}.Classify(context.Background(), c.x, cora.Labels, splits[per][:10]))
			t.Logf("%s, %d per class: %v, paper %.1f", name, per, got, paper)
			if math.Abs(100*got.Mean-paper) > 100*got.Std {
				t.Errorf("%s, %d per class: %v, paper %.1f", name, per, got, paper)
			}
		}
	}
}
