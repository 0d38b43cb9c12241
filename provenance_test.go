package coles_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// keptInput is the input of the files in testdata, see testdata/version1.go.
func keptInput() (*coles.Graph, *mat.Dense) {
	weights := []float64{1, 2, 1, 0.5, 1, 1, 3}
	ids := []string{"ada", "ben", "cleo", "dan", "eve", "finn", "gus"}
	g := must(coles.NewGraph(7, edges(0, 1, 1, 2, 2, 0, 2, 3, 3, 4, 4, 5, 5, 3), coles.WithEdgeWeights(weights), coles.WithIDs(ids)))
	return g, mat.NewDense(7, 4, []float64{
		1, 0, 0, 2,
		1, 0, 0, 0,
		1, 1, 0, 0,
		0, 1, 1, 0,
		0, 0, 1, 1,
		0, 0, 1, 0,
		0, 1, 0, 1,
	})
}

// Files that earlier versions of the format left are read, and embed what they did
// then, to the rounding of other vector instructions (1e-12; in float32 1e-5).
func TestOldFilesAreRead(t *testing.T) {
	g, words := keptInput()
	for name, c := range map[string]struct {
		x         mat.Matrix
		tolerance float64
		settings  func(s *coles.Settings)
	}{
		"tfidf": {words, 1e-12, func(s *coles.Settings) { s.Dim = 3 }},
		"standardized": {words, 1e-12, func(s *coles.Settings) {
			s.Features, s.Negatives, s.Kappa, s.Eta, s.Filter = coles.PrepareStandardize, coles.UniformNegatives(2), 3, 0.9, coles.SGC(2)
		}},
		"float32": {words, 1e-5, func(s *coles.Settings) { s.Precision, s.Scaling.FixedPower = coles.Float32, true }},
		"graph":   {nil, 0, func(s *coles.Settings) { s.Dim = 2 }},
	} {
		t.Run(name, func(t *testing.T) {
			file := must(os.ReadFile(filepath.Join("testdata", "version1-"+name+".model")))
			m := must(coles.ReadModel(bytes.NewReader(file)))
			var want []float64
			if err := json.Unmarshal(must(os.ReadFile(filepath.Join("testdata", "version1-"+name+".json"))), &want); err != nil {
				t.Fatal(err)
			}
			y := must(m.Embed(ctx, g, c.x))
			wantClose(t, "embedding", y, mat.NewDense(7, len(want)/7, want), c.tolerance)
			wantSame(t, "ids", m.IDs(), g.IDs())
			settings := coles.DefaultSettings()
			settings.Dim, settings.Precision = 4, coles.Float64
			c.settings(&settings)
			wantSame(t, "settings", string(must(json.Marshal(m.Settings()))), string(must(json.Marshal(settings))))
			p := m.Provenance()
			if p.Format != 1 || p.Module != "" || p.Input != (coles.InputHash{}) {
				t.Errorf("provenance %+v, want that of version 1, which keeps none", p)
			}
			// Written again it is a file of today, and the same model.
			again := must(coles.ReadModel(bytes.NewReader(modelBytes(m))))
			wantSame(t, "embedding from a file of today", bits(must(again.Embed(ctx, g, c.x))), bits(y))
			if f := again.Provenance().Format; f != 2 {
				t.Errorf("written today the file is of version %d", f)
			}
		})
	}
}

func TestProvenanceIsKept(t *testing.T) {
	g, words := keptInput()
	for name, x := range map[string]mat.Matrix{"features": words, "none": nil} {
		m := must(coles.Fit(ctx, g, x, coles.WithDim(2), coles.WithSeed(7)))
		p := m.Provenance()
		if want := must(coles.HashInput(ctx, g, x)); p.Input != want || (p.Input.Features == "") != (x == nil) {
			t.Errorf("%s: input %+v, want %+v", name, p.Input, want)
		}
		if p.Settings.Seed != 7 || p.Module != coles.ModuleVersion() || p.Module == "" || p.Format != 2 {
			t.Errorf("%s: provenance %+v", name, p)
		}
		read := must(coles.ReadModel(bytes.NewReader(modelBytes(m))))
		wantSame(t, name, string(must(json.Marshal(read.Provenance()))), string(must(json.Marshal(p))))
		// It survives JSON, and makes the model again.
		var back coles.Provenance
		if err := json.Unmarshal(must(json.Marshal(p)), &back); err != nil {
			t.Fatal(err)
		}
		again := must(coles.Fit(ctx, g, x, coles.WithSettings(back.Settings)))
		wantSame(t, name+", made again", bits(again.Embedding()), bits(m.Embedding()))
	}
	var none *coles.Model
	if p := none.Provenance(); p.Format != 0 || new(coles.Model).Provenance().Format != 0 {
		t.Errorf("no model has the provenance %+v", p)
	}
}

// rowHash is the hash by its formula, over all entries of a dense matrix.
func formulaHash(x *mat.Dense) uint64 {
	mix := func(h, v uint64) uint64 { y := (h ^ v) * 0x9e3779b97f4a7c15; return y ^ y>>32 }
	n, d := x.Dims()
	h := mix(mix(0, uint64(n)), uint64(d))
	for i := range n {
		row := uint64(0)
		for j := range d {
			if v := x.At(i, j); v != 0 {
				row = mix(row, math.Float64bits(v)^uint64(j+1)*0xd6e8feb86659fd93)
			}
		}
		h = mix(h, row)
	}
	return h
}

func TestInputHash(t *testing.T) {
	g, words, dense := small(131)
	want := must(coles.HashInput(ctx, g, words))
	if got := hexadecimal(formulaHash(dense)); want.Features != got {
		t.Errorf("features %s, by the formula %s", want.Features, got)
	}
	if got := hexadecimal(formulaHash(denseOf(g.CSR()))); want.Graph != got {
		t.Errorf("graph %s, by the formula %s", want.Graph, got)
	}
	n, d := dense.Dims()
	single := make([]float32, 0, n*d)
	for i := range n {
		for _, v := range dense.RawRowView(i) {
			single = append(single, float32(v)) // counts are exact
		}
	}
	forProcessors(t, func(procs int) {
		for name, x := range map[string]mat.Matrix{"dense": dense, "float32": must(coles.NewDense32(n, d, single)), "transposed twice": dense.T().T()} {
			if got := must(coles.HashInput(ctx, g, x)); got != want {
				t.Errorf("%s, %d processors: %+v, want %+v", name, procs, got, want)
			}
		}
	})
	for name, change := range map[string]func(x *mat.Dense){
		"a value":   func(x *mat.Dense) { x.Set(3, 4, math.Nextafter(x.At(3, 4)+1, 9)) },
		"a sign":    func(x *mat.Dense) { x.Scale(-1, x) },
		"two rows":  func(x *mat.Dense) { a, b := mat.Row(nil, 1, x), mat.Row(nil, 2, x); x.SetRow(1, b); x.SetRow(2, a) },
		"all zeros": func(x *mat.Dense) { x.Zero() },
	} {
		x := mat.DenseCopyOf(dense)
		change(x)
		if got := must(coles.HashInput(ctx, g, x)); got.Features == want.Features || got.Graph != want.Graph {
			t.Errorf("%s: %+v, was %+v", name, got, want)
		}
	}
	other, _, _ := small(132)
	if got := must(coles.HashInput(ctx, other, words)); got.Graph == want.Graph || got.Features != want.Features {
		t.Errorf("another graph: %+v, was %+v", got, want)
	}
}

func hexadecimal(h uint64) string {
	const digits = "0123456789abcdef"
	var b [16]byte
	for i := range b {
		b[15-i] = digits[h>>(4*i)&15]
	}
	return string(b[:])
}

func TestHashInputRefuses(t *testing.T) {
	g, words, _ := small(133)
	wantError(t, second(coles.HashInput(ctx, nil, words)), coles.ErrEmpty)
	wantError(t, second(coles.HashInput(ctx, g, (*mat.Dense)(nil))), coles.ErrEmpty)
	wantError(t, second(coles.HashInput(ctx, g, mat.NewDense(3, 2, nil))), coles.ErrShape)
	wantError(t, second(coles.HashInput(ctx, g, mat.NewDense(120, 1, append(make([]float64, 119), math.NaN())))), coles.ErrNotFinite)
	over, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := coles.HashInput(over, g, words); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want context.Canceled", err)
	}
	for _, text := range []string{`{"graph":"1"}`, `{"graph":"00000000000000zz"}`, `{"graph":"","nodes":3}`, `{"graph":1}`, `7`} {
		wantError(t, json.Unmarshal([]byte(text), new(coles.InputHash)), coles.ErrFormat)
	}
}
