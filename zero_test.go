package coles_test

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"reflect"
	"strings"
	"testing"

	"coles"
	"coles/cluster"
	"coles/eval"
	"coles/gnn"
	"coles/gnn/custom"
	"coles/gnn/optim"
	"coles/internal/testkit"
	"coles/learn"
	"coles/link"
	"coles/live"
	"coles/near"
	"coles/plane"
	"coles/table"

	"gonum.org/v1/gonum/mat"
)

// zeros are the zero values of the public types.
var zeros = []any{
	&coles.Alignment{}, &coles.ConvergenceError{}, &coles.DeltaW{}, &coles.Dense32{}, &coles.Edge{}, &coles.Filter{}, &coles.Graph{}, &coles.GraphReport{},
	new(coles.Kind), &coles.Model{}, &coles.NegativeSampler{}, &coles.Part{}, new(coles.Precision), new(coles.Preparation), &coles.Preparer{}, &coles.Projection{},
	&coles.Report{}, &coles.Scaling{}, &coles.ScalingRule{}, &coles.Settings{}, new(coles.Share), new(coles.Solver), &coles.Structure{}, &coles.SymCSR{},

	&live.Change{}, &live.Frozen{}, &live.Graph{}, &live.Rows{}, &live.Update{},

	&table.CellError{}, &table.Centre{}, &table.Column{}, &table.Encoder{}, new(table.Kind), &table.Scale{}, &table.Table{}, &table.Unseen{}, &table.Variable{},

	&gnn.Augmentation{}, &gnn.Checkpoint{}, &gnn.Classifier{}, &gnn.EpochReport{}, &gnn.Layer{}, &custom.LayerSpec{}, &gnn.Model{}, new(gnn.Network),
	&gnn.Objective{}, &custom.ObjectiveSpec{}, &optim.Optimizer{}, &custom.Parameter{}, &custom.Phase{}, &gnn.Report{}, &custom.Sample{}, &custom.Sampler{}, &optim.Schedule{},
	&gnn.Settings{}, &custom.View{},

	&learn.Candidate{}, &learn.Choice{}, &eval.Clustering{}, &learn.Confusion{}, &link.HeldOut{}, &near.Index{}, &eval.InducedGraph{}, &cluster.KMeans{},
	&cluster.KMeansModel{}, &learn.Labels{}, &learn.LinearModel{}, &link.Options{}, &link.Worth{}, &learn.LogisticRegression{}, &near.Match{},
	&eval.Measurements{}, &eval.Protocol{}, &eval.Worth{}, &learn.Reason{}, &learn.Reasons{}, &link.Recommender{}, &learn.Ridge{}, &learn.RidgeErrors{},
	&learn.SetScores{}, new(near.Similarity), &learn.Options{}, &learn.Predictor{}, &learn.Weights{}, &learn.Answer{}, &learn.Chance{}, &learn.Origin{}, &plane.TSNE{},
}

// takers are functions that take values which others make.
var takers = []any{
	coles.Contrast, coles.Eigenmaps, coles.Fit, coles.FitStructure, coles.KNN, coles.Normalize, coles.Solve, coles.SolveImplicit,
	live.FitRows, live.Follow, live.Freeze, live.FreezeRows, live.Read, table.Fit, gnn.Train, gnn.TrainClassifier,
	near.Alike, link.Fit, near.NewIndex,
}

// Zero values work, or an error or a panic names where to begin.
func TestZeroValues(t *testing.T) {
	g, _, x := small(154)
	good := map[reflect.Type]reflect.Value{}
	for _, v := range []any{g, x, fitted(g, x), coles.Normalize(g), contrast(g, noNegatives), 2} {
		good[reflect.TypeOf(v)] = reflect.ValueOf(v)
	}
	ready := func(a reflect.Type) reflect.Value {
		v, ok := good[a]
		if ok {
			return v
		}
		v = reflect.New(a).Elem()
		for _, value := range []any{ctx, x, new(bytes.Buffer)} {
			if a.Kind() == reflect.Interface && reflect.TypeOf(value).Implements(a) {
				v.Set(reflect.ValueOf(value))
				break
			}
		}
		switch {
		case a.Kind() == reflect.Func:
			v.Set(reflect.MakeFunc(a, func([]reflect.Value) (out []reflect.Value) {
				for i := range a.NumOut() {
					out = append(out, reflect.Zero(a.Out(i)))
				}
				return out
			}))
		case a.Kind() == reflect.Pointer:
			v.Set(reflect.New(a.Elem()))
		}
		return v
	}
	// call calls with zero as one argument, or none for −1.
	call := func(name string, f reflect.Value, zero int) {
		var in []reflect.Value
		index := false
		for i := range f.Type().NumIn() {
			if i == f.Type().NumIn()-1 && f.Type().IsVariadic() {
				break
			}
			a := f.Type().In(i)
			index = index || a.Kind() == reflect.Int
			if in = append(in, ready(a)); i == zero {
				in[i] = reflect.New(a.Elem())
			}
		}
		defer func() {
			said := fmt.Sprint(recover())
			if said != "<nil>" && !strings.Contains(said, "nil or zero") && !(index && strings.Contains(said, "out of range")) {
				t.Errorf("%s: panic %q", name, said)
			}
		}()
		f.Call(in)
	}
	listed := map[string]bool{}
	for _, zero := range zeros {
		v := reflect.ValueOf(zero)
		listed[v.Type().Elem().String()] = true
		for i := range v.NumMethod() {
			call(fmt.Sprintf("%T.%s", zero, v.Type().Method(i).Name), v.Method(i), -1)
		}
	}
	for _, f := range takers {
		v := reflect.ValueOf(f)
		for i := range v.Type().NumIn() {
			if a := v.Type().In(i); a.Kind() == reflect.Pointer && strings.HasPrefix(a.Elem().PkgPath(), "coles") {
				call(fmt.Sprintf("%T with a zero %v", f, a), v, i)
			}
		}
	}
	for _, folder := range []string{".", "live", "table", "gnn", "learn", "cluster", "link", "near", "plane", "eval"} {
		for _, name := range publicTypes(t, folder) {
			if !listed[name] {
				t.Errorf("%s has no zero value in the list", name)
			}
		}
	}
}

// publicTypes are the public types of a package but for functions and generic ones.
func publicTypes(t *testing.T, folder string) (names []string) {
	parsed := testkit.Must(parser.ParseDir(token.NewFileSet(), folder, func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, 0))
	for name, p := range parsed {
		ast.Inspect(p, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.IsExported() && spec.TypeParams == nil && !spec.Assign.IsValid() {
				if _, function := spec.Type.(*ast.FuncType); !function {
					names = append(names, name+"."+spec.Name.Name)
				}
			}
			return true
		})
	}
	return names
}

// Settings that are 0 say where to begin.
func TestZeroSettings(t *testing.T) {
	g, _, x := small(155)
	for name, c := range map[string]struct {
		err  error
		says string
	}{
		"Fit":         {testkit.Err(coles.Fit(ctx, g, x, coles.WithSettings(coles.Settings{}))), "coles.DefaultSettings"},
		"Alignment":   {testkit.Err(coles.Settings{}.Alignment(ctx, g, x)), "coles.DefaultSettings"},
		"ScalingRule": {testkit.Err(coles.ScalingRule{}.Fit(ctx, x, make([]float64, 40))), "coles.DefaultSettings"},
		"gnn.Train":   {testkit.Err(gnn.Train(ctx, g, x, gnn.WithSettings(gnn.Settings{}))), "gnn.DefaultSettings"},
	} {
		if !errors.Is(c.err, coles.ErrSetting) || !strings.Contains(fmt.Sprint(c.err), c.says) {
			t.Errorf("%s: %v, want an ErrSetting that names %s", name, c.err, c.says)
		}
	}
}

// A setting that a fit has no use for is refused by name, unless it is as usual for a purpose.
func TestSettingsWithoutUse(t *testing.T) {
	g, words, _ := small(190)
	alone := func(s *coles.Settings) { s.Kind = coles.UseFeatures }
	for field, changes := range map[string][]func(s *coles.Settings){
		"Filter":    {alone, func(s *coles.Settings) { s.Filter = coles.SGC(2) }},
		"Negatives": {alone, func(s *coles.Settings) { s.Negatives = coles.UniformNegatives(1) }},
		"Kappa":     {func(s *coles.Settings) { s.Kappa = 5 }},
		"Eta":       {func(s *coles.Settings) { s.Negatives, s.Eta = coles.NegativeSampler{}, 0.5 }},
	} {
		var opts []coles.Option
		for _, change := range changes {
			opts = append(opts, coles.With(change))
		}
		for _, x := range []mat.Matrix{words, nil} {
			if err := testkit.Err(coles.Fit(ctx, g, x, opts...)); x != nil || len(opts) == 1 {
				testkit.WantError(t, err, coles.ErrSetting)
				testkit.WantText(t, err.Error(), field)
			}
		}
	}
	for _, s := range []coles.Settings{coles.DefaultSettings(), coles.ClusteringSettings(120, 40), coles.LinkSettings(120, 40)} {
		s.Kind = coles.UseFeatures
		fitted(g, words, coles.WithSettings(s))
	}
	// Where the fit leaves the graph out by its own choice it may be repeated with the settings that it reports.
	apart := fitted(graphOf(120), words, coles.WithFilter(coles.SGC(2)))
	testkit.WantSame(t, "kind", apart.Report().Kind, coles.UseFeatures)
	testkit.WantSame(t, "again", testkit.Bits(fitted(graphOf(120), words, coles.WithSettings(apart.Settings())).Embedding()), testkit.Bits(apart.Embedding()))
}
