package dataset

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"coles"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// A matrix of somebody else's that cannot be read.
type brokenMatrix struct{ rows, cols int }

func (m brokenMatrix) Dims() (r, c int)  { return m.rows, m.cols }
func (brokenMatrix) At(i, j int) float64 { panic("disk on fire") }
func (m brokenMatrix) T() mat.Matrix     { return m }

// refused calls a door that shall not panic and looks at its error.
func refused(t *testing.T, want error, open func() error) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("panic: %v", r)
		}
	}()
	if err := open(); !errors.Is(err, want) || want == nil && err != nil {
		t.Errorf("error %v, want %v", err, want)
	}
}

// The table of matrices for every writer: bytes, or a named error.
func TestMatrixWriters(t *testing.T) {
	const n, d = 3, 2
	graph := sparse.NewCSR(n, n, make([]int, n+1), nil, nil)
	writers := map[string]func(m mat.Matrix) error{
		"npy":             func(m mat.Matrix) error { return WriteNPY(io.Discard, m) },
		"matrices":        func(m mat.Matrix) error { return WriteMatrices(io.Discard, map[string]mat.Matrix{"x": m}) },
		"npz":             func(m mat.Matrix) error { return WriteNPZ(io.Discard, &Dataset{Adjacency: graph, Features: m}) },
		"tsv":             func(m mat.Matrix) error { return WriteTSV(io.Discard, nil, m) },
		"word2vec":        func(m mat.Matrix) error { return WriteWord2Vec(io.Discard, nil, m) },
		"word2vec binary": func(m mat.Matrix) error { return WriteWord2VecBinary(io.Discard, nil, m) },
		"matrix market":   func(m mat.Matrix) error { return WriteMatrixMarket(io.Discard, m) },
	}
	of := func(v float64) *mat.Dense { return mat.NewDense(n, d, []float64{1, 2, v, 4, 5, 6}) }
	all := func(err error) map[string]error {
		errs := make(map[string]error)
		for name := range writers {
			errs[name] = err
		}
		return errs
	}
	but := func(err error, name string, other error) map[string]error {
		errs := all(err)
		errs[name] = other
		return errs
	}
	finite := map[string]error{"npz": ErrNotFinite, "word2vec binary": ErrNotFinite, "matrix market": ErrNotFinite} // the others write NaN
	empty := map[string]error{"npy": ErrShape, "matrices": ErrShape, "npz": ErrShape, "matrix market": ErrShape}
	for _, c := range []struct {
		name string
		m    mat.Matrix
		want map[string]error
	}{
		{"plain", of(3), nil},
		{"nil", nil, but(ErrMissing, "npz", nil)},
		{"a nil *mat.Dense", (*mat.Dense)(nil), all(ErrMissing)},
		{"a nil *sparse.CSR", (*sparse.CSR)(nil), all(ErrMissing)},
		{"a nil *sparse.COO", (*sparse.COO)(nil), all(ErrMissing)},
		{"a nil *coles.Dense32", (*coles.Dense32)(nil), all(ErrMissing)},
		{"a matrix of nil", mat.Transpose{}, all(ErrShape)},
		{"an empty *mat.Dense", new(mat.Dense), empty},
		{"an empty *coles.Dense32", new(coles.Dense32), empty},
		{"an empty *sparse.CSR", new(sparse.CSR), empty},
		{"a matrix that panics", brokenMatrix{n, d}, all(ErrShape)},
		{"the largest matrix", brokenMatrix{math.MaxInt, math.MaxInt}, all(ErrTooLarge)},
		{"a matrix of less than no rows", brokenMatrix{-1, d}, all(ErrShape)},
		{"columns out of range", sparse.NewCSR(n, d, []int{0, 0, 0, 1}, []int{33}, []float64{1}), func() map[string]error {
			errs := but(ErrShape, "npz", ErrIndex)
			errs["matrix market"] = ErrIndex
			return errs
		}()},
		{"NaN", of(math.NaN()), finite},
		{"-Inf", of(math.Inf(-1)), finite},
		{"the largest", of(math.MaxFloat64), map[string]error{"word2vec binary": ErrNotFinite}},
		{"the smallest", of(5e-324), nil},
	} {
		for name, write := range writers {
			t.Run(c.name+", "+name, func(t *testing.T) {
				refused(t, c.want[name], func() error { return write(c.m) })
			})
		}
	}
}

// The table of readers, file systems and writers that are not there.
func TestNilReadersAndWriters(t *testing.T) {
	one := mat.NewDense(1, 1, nil)
	for name, open := range map[string]func() error{
		"ReadEdgeList":        func() error { _, err := ReadEdgeList(nil, nil, EdgeListOptions{}); return err },
		"ReadNPY":             func() error { _, err := ReadNPY(nil); return err },
		"ReadMatrices":        func() error { _, err := ReadMatrices(nil, 100); return err },
		"ReadNPZ":             func() error { _, err := ReadNPZ(nil, 100); return err },
		"ReadMatrixMarket":    func() error { _, err := ReadMatrixMarket(nil); return err },
		"ReadWord2Vec":        func() error { _, _, err := ReadWord2Vec(nil); return err },
		"ReadWord2VecBinary":  func() error { _, _, err := ReadWord2VecBinary(nil); return err },
		"ReadSplits":          func() error { _, err := ReadSplits(nil, 1); return err },
		"ReadOGB":             func() error { _, err := ReadOGB(nil); return err },
		"ReadPlanetoid":       func() error { _, err := ReadPlanetoid(nil, "cora"); return err },
		"WriteNPY":            func() error { return WriteNPY(nil, one) },
		"WriteMatrices":       func() error { return WriteMatrices(nil, map[string]mat.Matrix{"x": one}) },
		"WriteNPZ":            func() error { return WriteNPZ(nil, KarateClub()) },
		"WriteMatrixMarket":   func() error { return WriteMatrixMarket(nil, one) },
		"WriteTSV":            func() error { return WriteTSV(nil, nil, one) },
		"WriteWord2Vec":       func() error { return WriteWord2Vec(nil, nil, one) },
		"WriteWord2VecBinary": func() error { return WriteWord2VecBinary(nil, nil, one) },
		"WriteSplits":         func() error { return WriteSplits(nil, 1, nil) },
	} {
		t.Run(name, func(t *testing.T) { refused(t, ErrMissing, open) })
	}
}

// The table for generators, splits and the writers of other things.
func TestDoors(t *testing.T) {
	nan, labels := math.NaN(), slices.Repeat([]int{0, 1, 2}, 6)
	karate := KarateClub()
	communities := func(c Communities) func() error {
		return func() error {
			d, err := c.Generate(t.Context())
			if err != nil {
				return err
			}
			return d.Validate()
		}
	}
	random := func(labels []int, perClass, count int) func() error {
		return func() error {
			splits, err := RandomSplits(labels, perClass, count, 1)
			if err == nil {
				err = WriteSplits(io.Discard, len(labels), splits)
			}
			return err
		}
	}
	splits := func(n int, s ...Split) func() error { return func() error { return WriteSplits(io.Discard, n, s) } }
	masks := func(train, val, test []bool) func() error {
		return func() error { _, err := MaskSplit(train, val, test); return err }
	}
	npz := func(change func(d *Dataset)) func() error {
		d := KarateClub()
		change(d)
		return func() error { return WriteNPZ(io.Discard, d) }
	}
	ids := func(write func(w io.Writer, ids []string, m mat.Matrix) error, ids ...string) func() error {
		return func() error {
			var b bytes.Buffer
			err := write(&b, ids, mat.NewDense(1, 1, nil))
			if b.Len() > 0 && err != nil {
				t.Errorf("%d bytes of what is refused", b.Len())
			}
			return err
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	for name, c := range map[string]struct {
		want error
		open func() error
	}{
		"the zero Communities":    {nil, communities(Communities{})},
		"no context":              {ErrOption, func() error { var none context.Context; _, err := Communities{}.Generate(none); return err }},
		"one node":                {ErrOption, communities(Communities{Nodes: 1, Classes: 1})}, // the default degree is above it
		"one node without edges":  {nil, communities(Communities{Nodes: 1, Classes: 1, Degree: 5e-324})},
		"no features":             {nil, communities(Communities{Nodes: 10, Features: -1})},
		"the least features":      {nil, communities(Communities{Nodes: 10, Features: math.MinInt})},
		"negative nodes":          {ErrOption, communities(Communities{Nodes: math.MinInt})},
		"the most nodes":          {ErrTooLarge, communities(Communities{Nodes: math.MaxInt, Classes: 1})},
		"more classes than nodes": {ErrOption, communities(Communities{Nodes: 5, Classes: 6})},
		"the most features":       {ErrTooLarge, communities(Communities{Features: math.MaxInt, Dense: true})},
		"dense, the most":         {ErrTooLarge, communities(Communities{Features: math.MaxInt, Dense: true})},
		"degree NaN":              {ErrOption, communities(Communities{Degree: nan})},
		"the largest degree":      {ErrOption, communities(Communities{Degree: math.MaxFloat64})},
		"homophily NaN":           {ErrOption, communities(Communities{Homophily: nan})},
		"the smallest homophily":  {nil, communities(Communities{Nodes: 50, Homophily: 5e-324})},
		"exponent NaN":            {ErrOption, communities(Communities{DegreeExponent: nan})},
		"exponent hardly above 2": {nil, communities(Communities{Nodes: 50, DegreeExponent: math.Nextafter(2, 3)})},
		"the largest exponent":    {nil, communities(Communities{Nodes: 50, DegreeExponent: math.MaxFloat64})},
		"words NaN":               {ErrOption, communities(Communities{Words: nan})},
		"the most words":          {ErrTooLarge, communities(Communities{Words: math.MaxFloat64})},
		"the fewest words":        {nil, communities(Communities{Nodes: 50, Words: 5e-324})},
		"topic NaN":               {ErrOption, communities(Communities{Topic: nan})},
		"the smallest topic":      {nil, communities(Communities{Nodes: 50, Topic: 5e-324})},
		"cancelled": {context.Canceled, func() error {
			over, cancel := context.WithCancel(t.Context())
			cancel()
			_, err := Communities{}.Generate(over)
			return err
		}},

		"random splits":         {nil, random(labels, 1, 2)},
		"of no labels":          {nil, random(nil, 1, 2)},
		"of negative labels":    {nil, random([]int{-1, math.MinInt}, 1, 2)},
		"of one node":           {nil, random([]int{0}, 1, 1)},
		"of the largest labels": {ErrIndex, random([]int{0, math.MaxInt}, 1, 1)},
		"none a class":          {ErrOption, random(labels, 0, 1)},
		"the most a class":      {nil, random(labels, math.MaxInt, 1)},
		"no random splits":      {ErrOption, random(labels, 1, math.MinInt)},
		"the most splits":       {ErrTooLarge, random(labels, 1, math.MaxInt)},
		"of a nil dataset":      {ErrMissing, func() error { _, err := (*Dataset)(nil).RandomSplits(1, 1, 1); return err }},
		"of a zero dataset":     {ErrMissing, func() error { _, err := new(Dataset).RandomSplits(1, 1, 1); return err }},
		"unlabeled out of range": {ErrIndex, func() error {
			_, err := (&Dataset{Labels: labels, Unlabeled: []int{math.MinInt}}).RandomSplits(1, 1, 1)
			return err
		}},

		"nil masks":            {ErrMissing, masks(nil, nil, nil)},
		"masks of no node":     {nil, masks([]bool{}, []bool{}, []bool{})},
		"masks of two lengths": {ErrShape, masks([]bool{true}, nil, []bool{true, false})},
		"a node in two masks":  {ErrDuplicate, masks([]bool{true}, []bool{true}, nil)},

		"no splits":               {nil, splits(3)},
		"a zero split":            {nil, splits(3, Split{})},
		"a split of absurd nodes": {ErrIndex, splits(3, Split{Val: []int{math.MaxInt}})},
		"of negative nodes":       {ErrIndex, splits(3, Split{Train: []int{math.MinInt}})},
		"of a negative graph":     {ErrIndex, splits(-1, Split{Train: []int{0}})},
		"a node twice":            {ErrDuplicate, splits(3, Split{Train: []int{1}, Test: []int{1}})},
		"only some with a test":   {ErrShape, splits(3, Split{}, Split{Test: []int{}})},

		"a nil dataset":         {ErrMissing, func() error { return WriteNPZ(io.Discard, nil) }},
		"a zero dataset":        {ErrMissing, func() error { return WriteNPZ(io.Discard, new(Dataset)) }},
		"an empty adjacency":    {ErrShape, npz(func(d *Dataset) { d.Adjacency = new(sparse.CSR) })},
		"a label too few":       {ErrShape, npz(func(d *Dataset) { d.Labels = d.Labels[1:] })},
		"the largest label":     {ErrIndex, npz(func(d *Dataset) { d.Labels[0] = math.MaxInt })},
		"the smallest label":    {nil, npz(func(d *Dataset) { d.Labels[0] = math.MinInt })},
		"an unlabeled absurd":   {ErrIndex, npz(func(d *Dataset) { d.Unlabeled = []int{-1} })},
		"an id too few":         {ErrShape, npz(func(d *Dataset) { d.IDs = make([]string, 3) })},
		"ids not UTF-8":         {ErrID, npz(func(d *Dataset) { d.IDs = slices.Repeat([]string{"\xff"}, karate.Nodes()) })},
		"a nil dataset checked": {ErrMissing, (*Dataset)(nil).Validate},

		"no ids":              {nil, ids(WriteTSV)},
		"an empty id":         {ErrID, ids(WriteTSV, "")},
		"an id of lines":      {ErrID, ids(WriteTSV, "a\nb")},
		"an id not UTF-8":     {ErrID, ids(WriteWord2Vec, "\xc3")},
		"an id too many":      {ErrShape, ids(WriteWord2Vec, "a", "b")},
		"an id of two words":  {ErrID, ids(WriteWord2VecBinary, "a b")},
		"no matrices":         {ErrMissing, func() error { return WriteMatrices(io.Discard, nil) }},
		"a matrix of no name": {ErrID, func() error { return WriteMatrices(io.Discard, map[string]mat.Matrix{"": mat.NewDense(1, 1, nil)}) }},

		"a file of nothing": {ErrOption, func() error { return WriteFile(file, nil) }},
		"a folder":          {ErrOption, func() error { return WriteFile(filepath.Dir(file), func(io.Writer) error { return nil }) }},
	} {
		t.Run(name, func(t *testing.T) { refused(t, c.want, c.open) })
	}
	if n, c := (*Dataset)(nil).Nodes(), (*Dataset)(nil).NumClasses(); n != 0 || c != 0 {
		t.Errorf("a nil dataset has %d nodes, %d classes", n, c)
	}
	tooMany := int64(maxDim) + 1 // below zero as an int of 32 bits
	for _, n := range []int{math.MinInt, -1, 0, int(tooMany)} {
		if test := (Split{Train: []int{0}}).TestNodes(n); len(test) != 0 {
			t.Errorf("of %d nodes %d are tested", n, len(test))
		}
	}
	for _, err := range []error{&ParseError{}, &FetchError{}} {
		if err.Error() == "" || errors.Unwrap(err) != nil {
			t.Errorf("a zero %T says %q", err, err)
		}
	}
}
