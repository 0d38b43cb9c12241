package rivals

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

var adversary = gnn.ObjectiveSpec{Parameters: discriminator}

// The losses of all phases by plain loops over what code makes.
func TestAdversarialLossesByTheirFormula(t *testing.T) {
	const n, d = 14, 6
	g, x := weighted(n, d)
	for _, variational := range []bool{false, true} {
		s := ARGE("")
		s.Network = gnn.Network{plainGCN(5), gnn.ReLU(), codeGCN(4, variational)}
		var z, draws *mat.Dense // of the first step
		divergence := 0.0
		first(t, g, x, s, adversary, func(s *gnn.Step[float64]) {
			code, more := code(s, variational)
			z, divergence = dense(code), more.Scalar()
			draws = mat.NewDense(n, 4, normal[float64](s.Rand(), n, 4, 1).Data)
		})
		for phase, want := range []func(wrong func(sign float64, x *mat.Dense) float64) float64{
			reconstructing: func(func(float64, *mat.Dense) float64) float64 { return lossOfEdges(g, z) + divergence },
			discriminating: func(wrong func(float64, *mat.Dense) float64) float64 { return wrong(-1, draws) + wrong(1, z) },
			deceiving: func(wrong func(float64, *mat.Dense) float64) float64 {
				if variational {
					return wrong(-1, z)
				}
				return wrong(-1, z) + lossOfEdges(g, z)
			},
		} {
			first(t, g, x, s, adversary, func(s *gnn.Step[float64]) {
				rnd := testkit.Random(3)
				for k := range discriminatorWidths { // D is next to nothing at first
					_, bias := discriminatorNames(k)
					data := s.Parameter(bias).Data().Data
					for j := range data {
						data[j] = rnd.NormFloat64()
					}
				}
				got := adversarialLoss(s, variational, phase).Scalar()
				near(t, fmt.Sprintf("variational %v: the loss of phase %d", variational, phase), got, want(func(sign float64, x *mat.Dense) float64 {
					return meanSoftplus(sign, s, x)
				}))
			})
		}
	}
}

// meanSoftplus is the mean of softplus(sign·D(x)) over the rows of x.
func meanSoftplus(sign float64, s *gnn.Step[float64], x *mat.Dense) float64 {
	for k := range discriminatorWidths {
		weight, bias := discriminatorNames(k)
		out := testkit.Product(x, dense(s.Parameter(weight)))
		b := dense(s.Parameter(bias))
		out.Apply(func(_, j int, v float64) float64 {
			if v += b.At(0, j); k == len(discriminatorWidths)-1 {
				return v
			}
			return max(v, 0)
		}, out)
		x = out
	}
	total := 0.0
	for i := range s.Nodes() {
		total += softplus(sign*x.At(i, 0)) / float64(s.Nodes())
	}
	return total
}

// Five steps of the network, one of D and one of the network; each leaves the others' parameters
// alone.
func TestPhasesOfAnEpoch(t *testing.T) {
	g, x := words(5, 30, 12)
	names := []string{"0.weight", "3.weight", "discriminator0.weight", "discriminator1.bias", "discriminator2.weight"}
	var phases []int
	var states [][][]float64
	s := narrowed(ARGE, gnn.Network{plainGCN(6), gnn.ReLU(), noise(0.1), codeGCN(4, false)}, 2)
	s.Objective = objectiveOf(adversarialSpec(), func(s *gnn.Step[float64]) *autodiff.Value[float64] {
		var state [][]float64
		for _, name := range names {
			state = append(state, slices.Clone(s.Parameter(name).Data().Data))
		}
		phases, states = append(phases, s.Phase()), append(states, state)
		return adversarialLoss(s, false, s.Phase())
	})
	train(t, g, x, s)
	testkit.WantSame(t, "phases", fmt.Sprint(phases), "[0 0 0 0 0 1 2 0 0 0 0 0 1 2]")
	for k := range len(phases) - 1 {
		for q, name := range names {
			changed := !slices.Equal(states[k][q], states[k+1][q])
			if want := strings.HasPrefix(name, "discriminator") == (phases[k] == discriminating); changed != want {
				t.Errorf("step %d, in phase %d, changes %s: %v", k, phases[k], name, changed)
			}
		}
	}
}

// Noise is drawn with the deviation that it should have, and only while training.
func TestNoise(t *testing.T) {
	const n, d = 400, 50
	g := testkit.Must(coles.NewGraph(n, nil))
	x := mat.NewDense(n, d, nil)
	x.Set(0, 0, 1)
	s := narrowed(ARGE, gnn.Network{plainGCN(d), noise(0.1)}, 1)
	first(t, g, x, s, bare, func(s *gnn.Step[float64]) {
		outputs := s.Encode(&gnn.View{})
		var difference mat.Dense
		difference.Sub(dense(outputs[1]), dense(outputs[0]))
		mean, square := mat.Sum(&difference)/(n*d), mat.Norm(&difference, 2)
		// The standard errors of 20,000 draws are 0.0007 for the mean and 0.0005 for the deviation.
		if deviation := square / math.Sqrt(n*d); !(math.Abs(mean) < 0.003) || !(deviation > 0.0975 && deviation < 0.1025) {
			t.Errorf("noise of mean %v and deviation %v", mean, deviation)
		}
	})
	m := train(t, g, x, s)
	for i := 1; i < n; i++ {
		if mat.Norm(m.Embedding().RowView(i), 2) != 0 {
			t.Fatal("noise in the embedding")
		}
	}
}
