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
	must(coles.SpectralScaling(ctx, mat.DenseCopyOf(dense.Slice(0, 120, 0, 2)), []float64{2, 1}, nil))
	must(coles.KNN(ctx, dense, 2, nil))
	must(coles.NewGraph(2, nil, nil))
	must(coles.FromCSR(g.CSR(), nil))
	must(coles.FromGonum(g.Gonum(), nil))
	must(coles.Estimate(g, dense, nil))
}

func TestNilReadersAndWriters(t *testing.T) {
	g, words, _ := small(143)
	m := must(coles.Fit(ctx, g, words, coles.WithDim(2)))
	for name, open := range map[string]func() error{
		"ReadModel": func() error { _, err := coles.ReadModel(nil); return err },
		"WriteTo":   func() error { _, err := m.WriteTo(nil); return err },
	} {
		wantNoPanic(t, name, func() { wantError(t, open(), coles.ErrEmpty) })
	}
}

// Every function that takes a context refuses a nil one.
func TestNilContext(t *testing.T) {
	var none context.Context
	g, words, dense := small(142)
	w, dw := coles.Normalize(g, coles.SelfLoops), must(coles.Contrast(ctx, g, coles.NoNegatives()))
	m := must(coles.Fit(ctx, g, words, coles.WithDim(2)))
	graphOnly := must(coles.Fit(ctx, g, nil, coles.WithDim(2)))
	growing, frozen := must(m.Grow(ctx, g, words)), must(m.Freeze(ctx, g, words))
	for name, open := range map[string]func() error{
		"Fit":             func() error { _, err := coles.Fit(none, g, words); return err },
		"Fit, no x":       func() error { _, err := coles.Fit(none, g, nil); return err },
		"Filter":          func() error { _, err := coles.SGC(2).Apply(none, w, dense); return err },
		"Filter, W for X": func() error { _, err := coles.SGC(2).Apply(none, w, w); return err },
		"Contrast":        func() error { _, err := coles.Contrast(none, g, coles.NoNegatives()); return err },
		"Sample":          func() error { _, err := coles.UniformNegatives(2).Sample(none, g, 1); return err },
		"ΔW":              func() error { _, err := dw.Apply(none, dense); return err },
		"Solve":           func() error { _, err := coles.Solve(none, dense, dw, 2); return err },
		"SolveImplicit":   func() error { _, err := coles.SolveImplicit(none, dense, w, coles.SGC(1), dw, 2); return err },
		"Eigenmaps":       func() error { _, err := coles.Eigenmaps(none, dw, 2); return err },
		"Smoothness":      func() error { _, err := coles.Smoothness(none, g, coles.SGC(1), 1); return err },
		"HashInput":       func() error { _, err := coles.HashInput(none, g, nil); return err },
		"KNN":             func() error { _, err := coles.KNN(none, dense, 2); return err },
		"Embed":           func() error { _, err := m.Embed(none, g, words); return err },
		"Embed, no x":     func() error { _, err := graphOnly.Embed(none, g, nil); return err },
		"Grow":            func() error { _, err := m.Grow(none, g, words); return err },
		"Growing.Embed":   func() error { _, err := growing.Embed(none, nil); return err },
		"Growing.Solve":   func() error { _, err := growing.Solve(none); return err },
		"Growing.Refit":   func() error { _, _, err := growing.Refit(none); return err },
		"Growing.Rebuild": func() error { return growing.Rebuild(none) },
		"Growing.Add":     func() error { _, err := growing.Add(none, coles.Growth{}); return err },
		"Freeze":          func() error { _, err := m.Freeze(none, g, words); return err },
		"Frozen.Embed":    func() error { _, err := frozen.Embed(none, words, nil, nil); return err },
	} {
		wantNoPanic(t, name, func() { wantError(t, open(), coles.ErrSetting) })
	}
}
