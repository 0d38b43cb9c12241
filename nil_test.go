package coles_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// Every method of a nil pointer or of a zero value may be called: nothing but zero
// values go in, nothing but an error or a zero value may come out.
func TestNilAndZeroReceivers(t *testing.T) {
	for _, zero := range []any{
		coles.Graph{}, coles.GraphReport{}, coles.Model{}, coles.Report{}, coles.DeltaW{}, coles.SymCSR{}, coles.Preparer{}, coles.Scaling{}, coles.Dense32{},
		coles.Filter{}, coles.NegativeSampler{}, coles.Settings{}, coles.InputHash{}, coles.Memory{},
		coles.PrepareAuto, coles.SolverAuto, coles.PrecisionAuto,
	} {
		value := reflect.TypeOf(zero)
		pointer := reflect.PointerTo(value)
		for i := range pointer.NumMethod() {
			name := pointer.Method(i).Name
			if strings.HasPrefix(name, "Unmarshal") || name == "At" {
				continue // a reader needs a place to read to; At panics as mat.Matrix says
			}
			receivers := []reflect.Value{reflect.New(value)}
			if _, ofValue := value.MethodByName(name); !ofValue {
				receivers = append(receivers, reflect.Zero(pointer))
			}
			for _, r := range receivers {
				what := fmt.Sprintf("%v, nil %v: %s", value, r.IsNil(), name)
				wantNoPanic(t, what, func() {
					m := r.MethodByName(name)
					var in []reflect.Value
					for j := range m.Type().NumIn() {
						if in = append(in, reflect.Zero(m.Type().In(j))); m.Type().In(j) == reflect.TypeFor[context.Context]() {
							in[j] = reflect.ValueOf(ctx)
						}
					}
					m.Call(in)
				})
			}
		}
	}
}

func TestNilOptionsChangeNothing(t *testing.T) {
	g, words, dense := small(141)
	want := must(coles.Fit(ctx, g, words, coles.WithDim(3)))
	wantSame(t, "Fit", bits(must(coles.Fit(ctx, g, words, nil, coles.WithDim(3), nil)).Embedding()), bits(want.Embedding()))
	dw := must(coles.Contrast(ctx, g, coles.UniformNegatives(2, nil), nil))
	wantSame(t, "Contrast", bits(must(dw.Apply(ctx, dense))), bits(must(must(coles.Contrast(ctx, g, coles.UniformNegatives(2))).Apply(ctx, dense))))
	w := coles.Normalize(g, coles.SelfLoops)
	must(coles.Solve(ctx, dense, dw, 2, nil))
	must(coles.SolveImplicit(ctx, dense, w, coles.SGC(1), dw, 2, nil))
	must(coles.Eigenmaps(ctx, dw, 2, nil))
	must(coles.SpectralScaling(mat.DenseCopyOf(dense.Slice(0, 120, 0, 2)), []float64{2, 1}, nil))
	must(coles.KNN(ctx, dense, 2, nil))
	must(coles.NewGraph(2, nil, nil))
	must(coles.FromCSR(g.CSR(), nil))
	must(coles.FromGonum(g.Gonum(), nil))
	must(coles.Estimate(g, dense, nil))
}
