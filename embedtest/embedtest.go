package embedtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// A Model is what fitting gives. It may do more, which is then checked as well: embed
// other graphs, as an [Inductive] one does, and write itself, as an [io.WriterTo].
type Model interface {
	// Embedding is that of the nodes fitted (n×d′), in the order of their rows. It may
	// be nil in a model that was read from a file.
	Embedding() *mat.Dense
}

// An Inductive model embeds graphs without fitting.
type Inductive interface {
	Model
	// Embed returns the embedding of every node of a graph.
	Embed(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error)
}

// An Embedder is what is checked. Its graphs have up to 40 nodes and features of 12
// columns, so the embeddings should have at most 8.
type Embedder struct {
	// Fit embeds the nodes of a graph with features.
	Fit func(ctx context.Context, g *coles.Graph, x mat.Matrix) (Model, error)
	// Read reads what a model, an [io.WriterTo], wrote; nil if there are no files.
	Read func(r io.Reader) (Model, error)
	// NoFeatures says that Fit does not look at features. It is given none.
	NoFeatures bool
	// Transductive says that models embed no other graph than the one fitted.
	Transductive bool
	// OrderMatters says that an embedding may depend on the order of the nodes, as it
	// does where they draw random numbers in turn.
	OrderMatters bool
	// Errors are named errors beside those of package coles.
	Errors []error
	// Tolerance is how far what is equal but for rounding may differ, in units of its
	// largest entry; 0 is 1e-10. Computing in float32 needs about 1e-4.
	Tolerance float64
	// Late is how long after its cancellation a call may return; 0 is 100 ms.
	Late time.Duration
}

// A Failure is a promise not kept.
type Failure struct {
	Check string // its name in the overview of the package
	Err   error  // what was wrong
}

// Error says what was wrong in which check.
func (f *Failure) Error() string { return f.Check + ": " + f.Err.Error() }

// Unwrap returns what was wrong.
func (f *Failure) Unwrap() error { return f.Err }

// Test checks an embedder and returns nil, or all failures, each a [*Failure], joined
// by [errors.Join]. It makes some hundred fits of small graphs. As it sets
// GOMAXPROCS and counts goroutines, nothing else should run beside it: not in a
// parallel test.
func Test(e Embedder) error {
	if e.Fit == nil {
		return &Failure{"fit", errors.New("there is no Fit")}
	}
	if e.Tolerance == 0 {
		e.Tolerance = 1e-10
	}
	if e.Late == 0 {
		e.Late = 100 * time.Millisecond
	}
	s := &suite{Embedder: e, graph: randomGraph(), words: randomWords(nodes)}
	s.check("fit", s.fits)
	if s.failures != nil {
		return errors.Join(s.failures...) // the others compare with this fit
	}
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"inputs", s.inputs}, {"repeatable", s.repeatable}, {"processors", s.processors}, {"storage", s.storage},
		{"permutation", s.permutation}, {"embed", s.embedsAgain}, {"ownership", s.ownership},
		{"concurrency", s.concurrency}, {"subset", s.subset}, {"file", s.file}, {"cancellation", s.cancellation},
		{"no nodes", s.noNodes}, {"one node", s.oneNode}, {"no edges", s.noEdges}, {"isolated", s.isolated},
		{"shapes", s.shapes}, {"not finite", s.notFinite}, {"extremes", s.extremes},
	} {
		s.check(c.name, c.run)
	}
	return errors.Join(s.failures...)
}

// A suite is a run of the checks.
type suite struct {
	Embedder
	graph    *coles.Graph
	words    *mat.Dense
	fitted   Model
	want     *mat.Dense // a copy of its embedding
	name     string     // of the check that runs
	failures []error
}

// check runs a check; a panic is its failure.
func (s *suite) check(name string, run func()) {
	defer func() {
		if r := recover(); r != nil {
			s.fail("panic: %v", r)
		}
	}()
	s.name = name
	run()
}

func (s *suite) fail(format string, args ...any) {
	s.failures = append(s.failures, &Failure{s.name, fmt.Errorf(format, args...)})
}

// fit fits, with no features where there should be none.
func (s *suite) fit(ctx context.Context, g *coles.Graph, x mat.Matrix) (Model, error) {
	if s.NoFeatures {
		x = nil
	}
	return s.Fit(ctx, g, x)
}

// features are x, or none.
func (s *suite) features(x mat.Matrix) mat.Matrix {
	if s.NoFeatures {
		return nil
	}
	return x
}

// embedding fits a graph that can be fitted and returns the embedding; nil after a failure.
func (s *suite) embedding(what string, g *coles.Graph, x mat.Matrix) *mat.Dense {
	m, err := s.fit(context.Background(), g, x)
	if err != nil {
		s.fail("%s: %w", what, err)
		return nil
	}
	return s.sound(what, m.Embedding(), g.Nodes())
}

// sound refuses an embedding without n rows of finite numbers; it returns nil then.
func (s *suite) sound(what string, y *mat.Dense, n int) *mat.Dense {
	if y == nil {
		s.fail("%s: the embedding is nil", what)
		return nil
	}
	rows, cols := y.Dims()
	if rows == 0 || cols == 0 {
		return y // no columns are no rows in gonum: nothing was worth one
	}
	if rows != n {
		s.fail("%s: %d rows for %d nodes", what, rows, n)
		return nil
	}
	if i, j, ok := firstNotFinite(y); ok {
		s.fail("%s: %v in row %d, column %d", what, y.At(i, j), i, j)
		return nil
	}
	return y
}

// inductive is the fitted model if it embeds.
func (s *suite) inductive() (Inductive, bool) {
	m, ok := s.fitted.(Inductive)
	return m, ok
}
