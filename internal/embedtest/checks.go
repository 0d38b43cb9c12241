package embedtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"coles"
	"coles/internal/testkit"
	"coles/internal/testkit/promise"

	"gonum.org/v1/gonum/mat"
)

var background = context.Background()

// fits: a small graph with features is embedded, in n rows of finite numbers.
func (s *suite) fits() bool {
	m, err := s.Fit(background, s.graph, s.features(mat.DenseCopyOf(s.words)))
	if err != nil {
		s.Errorf("fit: %v", err)
		return false
	}
	y := s.sound("fit", m.Embedding(), nodes)
	if y == nil || y.IsEmpty() {
		s.Errorf("the embedding has no columns")
		return false
	}
	s.fitted, s.want = m, mat.DenseCopyOf(y)
	return true
}

// inputs: graph and features are the same bytes after Fit and Embed.
func (s *suite) inputs() {
	for name, x := range map[string]mat.Matrix{"dense": mat.DenseCopyOf(s.words), "sparse": testkit.SparseOf(s.words)} {
		graph, features := testkit.Bits(s.graph.CSR()), testkit.Bits(x)
		s.embedding(name, s.graph, x)
		if _, ok := s.fitted.(Inductive); ok {
			s.embedded(name, s.fitted, s.graph, x)
		}
		if !slices.Equal(testkit.Bits(x), features) || !slices.Equal(testkit.Bits(s.graph.CSR()), graph) {
			s.Errorf("%s: the input has changed", name)
		}
	}
}

// repeatable: fitted twice, the embedding is the same bytes.
func (s *suite) repeatable() { s.wantSame("the second time", s.embedding("again", s.graph, s.words)) }

func (s *suite) wantSame(when string, y *mat.Dense) {
	if y != nil && !slices.Equal(testkit.Bits(y), testkit.Bits(s.want)) {
		s.Errorf("other bytes %s: off by %.2g of the largest entry", when, off(y, s.want))
	}
}

// processors: the bytes are the same for every GOMAXPROCS.
func (s *suite) processors() {
	promise.ForProcessors(func(int) { s.wantSame("with another GOMAXPROCS", s.embedding("fit", s.graph, s.words)) })
}

// storage: features in every type give the same embedding.
func (s *suite) storage() {
	for name, x := range stored(s.words) {
		if y := s.embedding(name, s.graph, x); y != nil {
			s.wantProducts(name, y)
		}
	}
}

func (s *suite) wantProducts(what string, y *mat.Dense) {
	if d := off(products(y), products(s.want)); !(d <= s.Tolerance) {
		s.Errorf("%s: YYᵀ is off by %.2g of its largest entry", what, d)
	}
}

// permutation: nodes in another order give the same YYᵀ in that order.
func (s *suite) permutation() {
	if s.OrderMatters {
		return
	}
	place := rand.New(rand.NewPCG(3, 0)).Perm(nodes)
	g, x := s.permuted(s.words, place)
	y := s.embedding("permuted", g, x)
	if y == nil {
		return
	}
	back := mat.NewDense(nodes, y.RawMatrix().Cols, nil)
	for i, p := range place {
		back.SetRow(i, y.RawRowView(p))
	}
	s.wantProducts("permuted", back)
}

// embedsAgain: Embed gives for the data fitted the embedding of Fit, to the byte.
func (s *suite) embedsAgain() {
	s.wantSame("from Embed", s.embedded("Embed", s.fitted, s.graph, s.words))
}

// ownership: writing to what Embed returned changes nothing in the model.
func (s *suite) ownership() {
	if y := s.embedded("Embed", s.fitted, s.graph, s.words); y != nil {
		y.Scale(2, y)
		y.Set(0, 0, 17)
		s.wantSame("once what Embed returned was written to", s.embedded("Embed", s.fitted, s.graph, s.words))
	}
	s.wantSame("in the model itself", s.fitted.Embedding())
}

// concurrency: goroutines that share a model get the same bytes.
func (s *suite) concurrency() {
	got, errs := make([]*mat.Dense, 4), make([]error, 4)
	var wg sync.WaitGroup
	for k := range got {
		wg.Add(1)
		go func() {
			defer wg.Done()
			got[k], errs[k] = s.fitted.(Inductive).Embed(background, s.graph, s.features(s.words))
		}()
	}
	wg.Wait()
	for k, y := range got {
		if errs[k] != nil {
			s.Errorf("one of four goroutines: %v", errs[k])
			continue
		}
		s.wantSame("from one of four goroutines", s.sound("Embed", y, nodes))
	}
}

// subset: a whole component has the same rows with the others or without.
func (s *suite) subset() {
	if s.Transductive {
		return
	}
	edges := slices.DeleteFunc(slices.Clone(s.edges), func(e coles.Edge) bool { return e.U >= half })
	part := s.embedded("one component", s.fitted, testkit.Must(coles.NewGraph(half, edges)), s.words.Slice(0, half, 0, words))
	if part == nil {
		return
	}
	whole := s.want.Slice(0, half, 0, s.want.RawMatrix().Cols).(*mat.Dense)
	if d := off(part, whole); !(d <= s.Tolerance) {
		s.Errorf("the rows of a component are off by %.2g of the largest entry without the others", d)
	}
}

// file: a model read from its file writes the same file and embeds the same bytes.
func (s *suite) file() {
	if s.Read == nil {
		return
	}
	var file, again bytes.Buffer
	n, err := s.fitted.(io.WriterTo).WriteTo(&file)
	if err != nil || n != int64(file.Len()) {
		s.Errorf("WriteTo wrote %d bytes and says %d, %v", file.Len(), n, err)
		return
	}
	read, err := s.Read(bytes.NewReader(file.Bytes()))
	if err != nil {
		s.Errorf("Read: %v", err)
		return
	}
	if _, err := read.(io.WriterTo).WriteTo(&again); err != nil || !bytes.Equal(again.Bytes(), file.Bytes()) {
		s.Errorf("written again the file has other bytes, error %v", err)
	}
	s.wantSame("in the file", read.Embedding())
	if _, ok := read.(Inductive); ok {
		s.wantSame("from Embed of the model that was read", s.embedded("Embed", read, s.graph, s.words))
	}
	if _, err := s.Read(bytes.NewReader(file.Bytes()[:file.Len()-1])); err == nil {
		s.Errorf("a file without its last byte is read")
	}
}

// doors are the calls that embed a graph with features: Fit and, of an inductive model, Embed.
func (s *suite) doors() map[string]door {
	doors := map[string]door{"Fit": func(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error) {
		m, err := s.Fit(ctx, g, s.features(x))
		if err != nil {
			return nil, err
		}
		return m.Embedding(), nil
	}}
	if m, ok := s.fitted.(Inductive); ok {
		doors["Embed"] = func(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error) {
			return m.Embed(ctx, g, s.features(x))
		}
	}
	return doors
}

type door func(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error)

// refuses wants an error that wraps the one given, unless fitting alone can notice of Embed only.
func (s *suite) refuses(what string, x mat.Matrix, want error, fitting bool) {
	for name, open := range s.doors() {
		if _, err := open(background, s.graph, x); (fitting || name == "Embed") && !errors.Is(err, want) {
			s.Errorf("%s, %s: error is %v, want one that wraps %v", name, what, err, want)
		}
	}
}

// badMatrices: features with another number of rows, or of columns, are [coles.ErrShape], and others that nothing may take
// have an error with a name.
func (s *suite) badMatrices() {
	s.refuses("a row too many", randomWords(nodes+1), coles.ErrShape, true)
	s.refuses("a row too few", randomWords(nodes-1), coles.ErrShape, true)
	s.refuses("a column too many", mat.NewDense(nodes, words+1, nil), coles.ErrShape, false)
	s.refuses("a column too few", mat.NewDense(nodes, words-1, nil), coles.ErrShape, false)
	for what, bad := range testkit.BadMatrices(nodes, words) {
		s.refuses(what, bad.X, bad.Want, true)
	}
}

// unusualGraphs: one node, no edges and isolated nodes are embedded, or an error is named.
func (s *suite) unusualGraphs() {
	s.soundOrNamed("one node", testkit.Must(coles.NewGraph(1, nil)), randomWords(1))
	s.soundOrNamed("no edges", testkit.Must(coles.NewGraph(nodes, nil)), s.words)
	few := testkit.Must(coles.NewGraph(nodes, []coles.Edge{{U: 3, V: 4}, {U: 4, V: 5}, {U: 5, V: 30}}))
	s.soundOrNamed("three edges among forty nodes", few, s.words)
}

// extremes: features as large or small as numbers go, equal or zero, give finite numbers or a named
// error.
func (s *suite) extremes() {
	for name, f := range map[string]func(v float64) float64{
		"of size 1e300":         func(v float64) float64 { return 1e300 * v },
		"of size 1e150":         func(v float64) float64 { return 1e150 * v },
		"of size 1e-300":        func(v float64) float64 { return 1e-300 * v },
		"of the smallest float": func(v float64) float64 { return math.SmallestNonzeroFloat64 * v },
		"all equal":             func(float64) float64 { return 1 },
		"all zero":              func(float64) float64 { return 0 },
		"negative":              func(v float64) float64 { return -v },
	} {
		x := mat.DenseCopyOf(s.words)
		x.Apply(func(_, _ int, v float64) float64 { return f(v) }, x)
		s.soundOrNamed("features "+name, s.graph, x)
	}
}

// soundOrNamed wants numbers of Fit and Embed, or an error with a name.
func (s *suite) soundOrNamed(what string, g *coles.Graph, x mat.Matrix) {
	for name, open := range s.doors() {
		if name == "Embed" && s.Transductive {
			continue
		}
		if y, err := open(background, g, x); err == nil {
			s.sound(name+", "+what, y, g.Nodes())
		} else if !testkit.IsNamed(err, s.Errors...) {
			s.Errorf("%s, %s: error %v has no name", name, what, err)
		}
	}
}

// cancellation: a context that ends before or in the midst of a call ends it in time, with the
// context's error, and no goroutine stays.
func (s *suite) cancellation() {
	for name, open := range s.doors() {
		call := func(ctx context.Context) (*mat.Dense, error) { return open(ctx, s.graph, s.words) }
		before := runtime.NumGoroutine()
		s.cancelledBefore(name, call)
		s.cancelledWithin(name, call)
		if stay := promise.GoroutinesBeyond(before); stay > 0 {
			s.Errorf("%s: %d goroutines stay", name, stay)
		}
	}
}

func (s *suite) cancelledBefore(name string, call func(context.Context) (*mat.Dense, error)) {
	cancelled, cancel := context.WithCancel(background)
	cancel()
	late, stop := context.WithDeadline(background, time.Unix(0, 0))
	defer stop()
	for _, ctx := range []context.Context{cancelled, late} {
		if _, err := call(ctx); !errors.Is(err, ctx.Err()) {
			s.Errorf("%s: error is %v, want %v: the context had ended before", name, err, ctx.Err())
		}
	}
}

// cancelledWithin ends the context as soon as the call has looked at it once, twice, …, until the
// call is over before. A call that has done all its work by then may return it.
func (s *suite) cancelledWithin(name string, call func(context.Context) (*mat.Dense, error)) {
	for looks := int64(1); looks < 1<<20; looks += 1 + looks/2 {
		ctx := promise.NewCountdown(looks)
		y, err := call(ctx)
		further := ctx.Further()
		ctx.End()
		if further < 0 {
			return
		}
		if further > promise.Looks {
			s.Errorf("%s: cancelled after %d looks at the context it looked %d times more", name, looks, further)
			return
		}
		if err == nil && !slices.Equal(testkit.Bits(y), testkit.Bits(s.want)) || err != nil && !errors.Is(err, context.Canceled) {
			s.Errorf("%s: cancelled after %d looks at the context it returns another embedding, or the error %v", name, looks, err)
			return
		}
	}
}
