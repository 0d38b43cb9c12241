package embedtest

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"coles"

	"gonum.org/v1/gonum/mat"
)

var background = context.Background()

func (s *suite) fits() {
	m, err := s.fit(background, s.graph, mat.DenseCopyOf(s.words))
	if err != nil {
		s.fail("%w", err)
		return
	}
	y := s.sound("embedding", m.Embedding(), nodes)
	if y == nil {
		return
	}
	if y.IsEmpty() {
		s.fail("the embedding has no columns")
		return
	}
	s.fitted, s.want = m, mat.DenseCopyOf(y)
}

func (s *suite) inputs() {
	x := mat.DenseCopyOf(s.words)
	csr := stored(s.words)["*sparse.CSR"]
	graphBefore, csrBefore := bits(s.graph.CSR()), bits(csr)
	unchanged := func(after string) {
		if !slices.Equal(bits(x), bits(s.words)) || !slices.Equal(bits(csr), csrBefore) {
			s.fail("%s changed the features", after)
		}
		if !slices.Equal(bits(s.graph.CSR()), graphBefore) {
			s.fail("%s changed the graph", after)
		}
	}
	s.embedding("dense", s.graph, x)
	s.embedding("sparse", s.graph, csr)
	unchanged("Fit")
	if m, ok := s.inductive(); ok {
		for _, x := range []mat.Matrix{x, csr} {
			if _, err := m.Embed(background, s.graph, s.features(x)); err != nil {
				s.fail("Embed: %w", err)
			}
		}
		unchanged("Embed")
	}
}

func (s *suite) repeatable() { s.wantSame("the second time", s.embedding("again", s.graph, s.words)) }

func (s *suite) wantSame(when string, y *mat.Dense) {
	if y != nil && !slices.Equal(bits(y), bits(s.want)) {
		s.fail("other bytes %s: off by %.2g of the largest entry", when, difference(y, s.want))
	}
}

func (s *suite) processors() {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, procs := range []int{1, 2, 3, 8} {
		runtime.GOMAXPROCS(procs)
		if y := s.embedding("fit", s.graph, s.words); y != nil && !slices.Equal(bits(y), bits(s.want)) {
			s.fail("other bytes with a GOMAXPROCS of %d", procs)
		}
	}
}

func (s *suite) storage() {
	if s.NoFeatures {
		return
	}
	for name, x := range stored(s.words) {
		if y := s.embedding(name, s.graph, x); y != nil {
			if d := difference(products(y), products(s.want)); !(d <= s.Tolerance) {
				s.fail("%s: YYᵀ is off by %.2g of its largest entry", name, d)
			}
		}
	}
}

func (s *suite) permutation() {
	if s.OrderMatters {
		return
	}
	place := rand.New(rand.NewPCG(3, 0)).Perm(nodes)
	g, x := permuted(s.graph, s.words, place)
	y := s.embedding("permuted", g, x)
	if y == nil {
		return
	}
	back := mat.NewDense(nodes, y.RawMatrix().Cols, nil)
	for i, p := range place {
		back.SetRow(i, y.RawRowView(p))
	}
	if d := difference(products(back), products(s.want)); !(d <= s.Tolerance) {
		s.fail("YYᵀ is off by %.2g of its largest entry", d)
	}
}

func (s *suite) embedsAgain() {
	if m, ok := s.inductive(); ok {
		s.wantSame("from Embed", s.embedded("Embed", m, s.graph, s.words))
	}
}

// embedded is the embedding of a graph that can be embedded; nil after a failure.
func (s *suite) embedded(what string, m Inductive, g *coles.Graph, x mat.Matrix) *mat.Dense {
	y, err := m.Embed(background, g, s.features(x))
	if err != nil {
		s.fail("%s: %w", what, err)
		return nil
	}
	return s.sound(what, y, g.Nodes())
}

func (s *suite) ownership() {
	m, ok := s.inductive()
	if !ok {
		return
	}
	if y := s.embedded("Embed", m, s.graph, s.words); y != nil {
		y.Scale(2, y)
		y.Set(0, 0, 17)
		s.wantSame("once what Embed returned was written to", s.embedded("Embed", m, s.graph, s.words))
	}
	if y := s.fitted.Embedding(); y != nil && !slices.Equal(bits(y), bits(s.want)) {
		s.fail("the embedding of the model is another one than it was")
	}
}

func (s *suite) concurrency() {
	m, ok := s.inductive()
	if !ok {
		return
	}
	got, errs := make([]*mat.Dense, 4), make([]error, 4)
	var wg sync.WaitGroup
	for k := range got {
		wg.Add(1)
		go func() {
			defer wg.Done()
			got[k], errs[k] = m.Embed(background, s.graph, s.features(s.words))
		}()
	}
	wg.Wait()
	for k, y := range got {
		if errs[k] != nil {
			s.fail("%w", errs[k])
			continue
		}
		s.wantSame("from one of four goroutines", s.sound("Embed", y, nodes))
	}
}

// subset embeds the first component alone.
func (s *suite) subset() {
	m, ok := s.inductive()
	if !ok || s.Transductive {
		return
	}
	var edges []coles.Edge
	for _, e := range edgesOf(s.graph) {
		if e.U < half {
			edges = append(edges, e)
		}
	}
	part := s.embedded("one component", m, built(half, edges), s.words.Slice(0, half, 0, words))
	if part == nil {
		return
	}
	if d := difference(part, s.want.Slice(0, half, 0, s.want.RawMatrix().Cols)); !(d <= s.Tolerance) {
		s.fail("the rows of a component are off by %.2g of the largest entry without the others", d)
	}
}

func (s *suite) file() {
	if s.Read == nil {
		return
	}
	w, ok := s.fitted.(io.WriterTo)
	if !ok {
		s.fail("there is Read, but the model has no WriteTo")
		return
	}
	var file bytes.Buffer
	n, err := w.WriteTo(&file)
	if err != nil {
		s.fail("WriteTo: %w", err)
		return
	}
	if n != int64(file.Len()) {
		s.fail("WriteTo wrote %d bytes and says %d", file.Len(), n)
	}
	read, err := s.Read(bytes.NewReader(file.Bytes()))
	if err != nil {
		s.fail("Read: %w", err)
		return
	}
	var again bytes.Buffer
	if w, ok := read.(io.WriterTo); !ok {
		s.fail("the model that was read has no WriteTo")
	} else if _, err := w.WriteTo(&again); err != nil || !bytes.Equal(again.Bytes(), file.Bytes()) {
		s.fail("written again the file has other bytes, error %v", err)
	}
	if y := read.Embedding(); y != nil {
		s.wantSame("in the file", y)
	}
	if m, ok := read.(Inductive); ok {
		s.wantSame("from Embed of the model that was read", s.embedded("Embed", m, s.graph, s.words))
	}
	if _, err := s.Read(bytes.NewReader(file.Bytes()[:file.Len()-1])); err == nil {
		s.fail("a file without its last byte is read")
	}
}
