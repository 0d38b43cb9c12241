package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"coles"
	"coles/dataset/internal/bounds"
	"coles/dataset/internal/place"
	"coles/internal/setting"
	"coles/internal/source"
)

// maxSplitBytes bounds a split file. Fifty splits of a thousand nodes take about 600 KB.
const maxSplitBytes = 256 << 20

// maxSplits bounds the number of splits in a file: masks of 0 columns could declare any number.
const maxSplits = 1 << 16

// Split is one division of the nodes for a classifier. No node is in two of its parts.
type Split struct {
	Train []int // nodes whose labels the classifier sees
	Val   []int // nodes to choose settings with
	Test  []int // nodes to report on; nil means every other node
}

// A part is one of the lists of a split.
type part struct {
	name  string
	nodes *[]int
}

func (s *Split) parts() []part {
	return []part{{"train", &s.Train}, {"val", &s.Val}, {"test", &s.Test}}
}

// TestNodes returns the nodes to report on among n: Test or, if it is nil, every node outside Train and
// Val, ascending. Entries outside [0, n) are passed over; of 2³¹ nodes, which no graph has, none is
// reported on.
func (s Split) TestNodes(n int) []int {
	if s.Test != nil {
		return s.Test
	}
	if n < 0 || n > bounds.Dim {
		return nil
	}
	others := slices.Repeat([]bool{true}, n)
	for _, i := range slices.Concat(s.Train, s.Val) {
		if i >= 0 && i < n {
			others[i] = false
		}
	}
	return masked(others)
}

// check fails unless all nodes lie in [0, n) and none is given twice.
func (s Split) check(n int) error {
	owner := make(map[int]string, len(s.Train)+len(s.Val)+len(s.Test))
	for _, p := range s.parts() {
		for k, i := range *p.nodes {
			if i < 0 || i >= n {
				return fmt.Errorf("%s[%d]: node %d of %d: %w", p.name, k, i, n, coles.ErrIndex)
			}
			if first, ok := owner[i]; ok {
				return fmt.Errorf("%s[%d]: node %d is in %s already: %w", p.name, k, i, first, ErrDuplicate)
			}
			owner[i] = p.name
		}
	}
	return nil
}

// checkTests fails where only some splits have test nodes: no format can say so.
func checkTests(splits []Split) error {
	for i, s := range splits {
		if (s.Test == nil) != (splits[0].Test == nil) {
			return fmt.Errorf("split %d: some splits have test nodes and some do not: %w", i, coles.ErrShape)
		}
	}
	return nil
}

// masked lists the nodes of a mask: not nil, which in Split.Test means others.
func masked(mask []bool) []int {
	nodes := []int{}
	for i, set := range mask {
		if set {
			nodes = append(nodes, i)
		}
	}
	return nodes
}

// splitFile is the JSON form of a list of splits. Other keys are ignored.
type splitFile struct {
	NotNodes source.Unread `json:"NODES,omitzero"`
	NotTrain source.Unread `json:"TRAIN,omitzero"`
	NotVal   source.Unread `json:"VAL,omitzero"`
	NotTest  source.Unread `json:"TEST,omitzero"`
	Nodes    *int          `json:"nodes,omitempty"`
	Train    nodeLists     `json:"train"`
	Val      nodeLists     `json:"val"`
	Test     nodeLists     `json:"test,omitempty"`
}

// nodeLists are lists of nodes. encoding/json would take a null among them for node 0, and add what
// is given twice to what was there.
type nodeLists [][]int

// UnmarshalJSON reads lists of numbers, once.
func (l *nodeLists) UnmarshalJSON(text []byte) error {
	if *l != nil {
		return fmt.Errorf("%w: given twice", coles.ErrFormat)
	}
	depth := 0
	for _, c := range text {
		switch c {
		case '[':
			depth++
		case ']':
			depth--
		case 'n':
			if depth == 2 {
				return fmt.Errorf("%w: null where a node is expected", coles.ErrFormat)
			}
		}
	}
	return json.Unmarshal(text, (*[][]int)(l))
}

// ReadSplits reads splits of a graph of n nodes from JSON of the form
//
//	{"nodes": n, "train": [[…], …], "val": [[…], …], "test": [[…], …]}
//
// with one inner list a split; "nodes" and "test" may be absent. Errors say in which split and at
// which position; lists of different length and another graph's "nodes" are coles.ErrShape.
func ReadSplits(r io.Reader, n int) ([]Split, error) {
	file := source.Name(r, "splits")
	if n < 0 {
		return nil, place.Fault(file, "%w: splits of %d nodes", coles.ErrShape, n)
	}
	data, err := io.ReadAll(io.LimitReader(r, maxSplitBytes+1))
	if err != nil {
		return nil, place.In(file, source.At(int64(len(data)), "%w", err))
	}
	if len(data) > maxSplitBytes {
		return nil, place.Fault(file, "more than %d bytes: %w", maxSplitBytes, coles.ErrTooLarge)
	}
	var f splitFile
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&f); err != nil {
		reached := dec.InputOffset()
		var syntax *json.SyntaxError
		var kind *json.UnmarshalTypeError
		if errors.As(err, &syntax) {
			reached = syntax.Offset
		} else if errors.As(err, &kind) {
			reached = kind.Offset
		}
		return nil, place.In(file, source.JSON(reached, err))
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, place.In(file, source.At(dec.InputOffset(), "%w: bytes after the end", coles.ErrFormat))
	}
	splits, err := f.splits(n)
	return splits, place.In(file, err)
}

// OpenSplits reads the split file at path, gzipped or not. See [ReadSplits].
func OpenSplits(path string, n int) ([]Split, error) {
	return Open(path, func(r io.Reader) ([]Split, error) { return ReadSplits(r, n) })
}

func (f *splitFile) splits(n int) ([]Split, error) {
	if f.Nodes != nil && *f.Nodes != n {
		return nil, fmt.Errorf("splits of %d nodes for a graph of %d: %w", *f.Nodes, n, coles.ErrShape)
	}
	if f.Train == nil || f.Val == nil {
		return nil, fmt.Errorf(`%w: the keys "train" and "val" are required`, ErrMissing)
	}
	if len(f.Train) != len(f.Val) || f.Test != nil && len(f.Test) != len(f.Train) {
		return nil, fmt.Errorf("%d train, %d val and %d test lists: %w", len(f.Train), len(f.Val), len(f.Test), coles.ErrShape)
	}
	splits := make([]Split, len(f.Train))
	for i := range splits {
		splits[i] = Split{Train: f.Train[i], Val: f.Val[i]}
		if f.Test != nil {
			splits[i].Test = f.Test[i]
		}
		if err := splits[i].check(n); err != nil {
			return nil, fmt.Errorf("split %d: %w", i, err)
		}
	}
	return splits, nil
}

// WriteSplits writes splits of a graph of n nodes in the form that [ReadSplits] reads; reading them
// back gives the same splits. Either every split has a Test or none, or the error is
// coles.ErrShape; coles.ErrIndex is a node outside the graph, ErrDuplicate one that is given twice.
func WriteSplits(w io.Writer, n int, splits []Split) error {
	f := splitFile{Nodes: &n, Train: make([][]int, len(splits)), Val: make([][]int, len(splits))}
	if err := checkTests(splits); err != nil {
		return writing("splits", err)
	}
	for i, s := range splits {
		if err := s.check(n); err != nil {
			return writing("splits", fmt.Errorf("split %d: %w", i, err))
		}
		f.Train[i], f.Val[i] = append([]int{}, s.Train...), append([]int{}, s.Val...) // not null
		if s.Test != nil {
			f.Test = append(f.Test, s.Test)
		}
	}
	return writing("splits", json.NewEncoder(w).Encode(&f))
}

// maxDrawn bounds the splits to draw, which take memory.
const maxDrawn = 1 << 20

// RandomSplits draws count splits: from each class perClass nodes for training, but at most a third
// of the class, and as many for validation. The rest is for testing, nodes with a negative label among
// them. Each split has its own random stream, (seed, its number), so that the first ones do not depend
// on count. Errors: coles.ErrSetting, coles.ErrTooLarge (more than 2²⁰ splits), coles.ErrIndex.
// Cost: O(count · n).
func RandomSplits(labels []int, perClass, count int, seed uint64) ([]Split, error) {
	if perClass < 1 {
		return nil, fmt.Errorf("dataset: splits: %w", setting.Bad("perClass", perClass, "at least 1"))
	}
	if count < 1 {
		return nil, fmt.Errorf("dataset: splits: %w", setting.Bad("count", count, "at least 1"))
	}
	if count > maxDrawn {
		return nil, fmt.Errorf("dataset: %d splits, the largest number is %d: %w", count, maxDrawn, coles.ErrTooLarge)
	}
	var members [][]int
	for i, l := range labels {
		if l >= bounds.Classes {
			return nil, fmt.Errorf("dataset: node %d has label %d, the largest allowed is %d: %w", i, l, bounds.Classes-1, coles.ErrIndex)
		}
		for l >= len(members) {
			members = append(members, nil)
		}
		if l >= 0 {
			members[l] = append(members[l], i)
		}
	}
	splits := make([]Split, count)
	var pool []int
	for s := range splits {
		rng := rand.New(rand.NewPCG(seed, uint64(s)))
		for _, class := range members {
			k := min(perClass, len(class)/3)
			pool = append(pool[:0], class...)
			for j := range 2 * k { // the head of a Fisher–Yates shuffle
				o := j + rng.IntN(len(pool)-j)
				pool[j], pool[o] = pool[o], pool[j]
			}
			splits[s].Train = append(splits[s].Train, pool[:k]...)
			splits[s].Val = append(splits[s].Val, pool[k:2*k]...)
		}
	}
	return splits, nil
}
