package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
)

// maxSplitBytes bounds a split file. Fifty splits of a thousand nodes take
// about 600 KB.
const maxSplitBytes = 256 << 20

// Split is one division of the nodes for a classifier. No node is in two of
// its parts.
type Split struct {
	Train []int // nodes whose labels the classifier sees
	Val   []int // nodes to choose settings with
	Test  []int // nodes to report on; nil means every other node
}

// TestNodes returns the nodes to report on among n: Test, or every node
// outside Train and Val, ascending, when Test is nil. Entries of Train and Val
// outside [0, n) name no node and are passed over. No graph has 2³¹ nodes: of
// so many there are none to report on.
func (s Split) TestNodes(n int) []int {
	if s.Test != nil {
		return s.Test
	}
	if n < 0 || n > maxDim {
		return nil
	}
	used := make([]bool, n)
	for _, part := range [][]int{s.Train, s.Val} {
		for _, i := range part {
			if i >= 0 && i < n {
				used[i] = true
			}
		}
	}
	var test []int
	for i, u := range used {
		if !u {
			test = append(test, i)
		}
	}
	return test
}

// check tells whether all nodes lie in [0, n) and none is given twice.
func (s Split) check(n int) error {
	owner := make(map[int]string, len(s.Train)+len(s.Val)+len(s.Test))
	for _, part := range []struct {
		name  string
		nodes []int
	}{{"train", s.Train}, {"val", s.Val}, {"test", s.Test}} {
		for k, i := range part.nodes {
			if i < 0 || i >= n {
				return fmt.Errorf("%s[%d]: node %d of %d: %w", part.name, k, i, n, ErrIndex)
			}
			if first, ok := owner[i]; ok {
				return fmt.Errorf("%s[%d]: node %d is in %s already: %w", part.name, k, i, first, ErrDuplicate)
			}
			owner[i] = part.name
		}
	}
	return nil
}

// splitFile is the JSON form of a list of splits. Other keys are ignored.
type splitFile struct {
	Nodes *int      `json:"nodes,omitempty"`
	Train nodeLists `json:"train"`
	Val   nodeLists `json:"val"`
	Test  nodeLists `json:"test,omitempty"`
}

// nodeLists are lists of nodes. encoding/json would take a null among them for node 0, and
// add what is given twice to what was there.
type nodeLists [][]int

func (l *nodeLists) UnmarshalJSON(text []byte) error {
	if *l != nil {
		return errors.New("given twice")
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
				return errors.New("null where a node is expected")
			}
		}
	}
	var lists [][]int
	err := json.Unmarshal(text, &lists)
	*l = lists
	return err
}

// ReadSplits reads splits of a graph of n nodes from JSON of the form
//
//	{"nodes": n, "train": [[…], …], "val": [[…], …], "test": [[…], …]}
//
// with one inner list a split; "nodes" and "test" may be absent. The error
// wraps ErrFormat, ErrTruncated, ErrTooLarge, ErrMissing, ErrShape (lists of
// different length, or another graph's "nodes"), ErrIndex or ErrDuplicate,
// and says in which split and at which position.
func ReadSplits(r io.Reader, n int) ([]Split, error) {
	if err := checkReader(r, "splits"); err != nil {
		return nil, err
	}
	return readSplits(r, n, "splits")
}

func readSplits(r io.Reader, n int, file string) ([]Split, error) {
	if n < 0 {
		return nil, inFile(file, "%d nodes: %w", n, ErrOption)
	}
	data, err := io.ReadAll(io.LimitReader(r, maxSplitBytes+1))
	if err != nil {
		return nil, atByte(file, int64(len(data)), "%w", err)
	}
	if len(data) > maxSplitBytes {
		return nil, atByte(file, maxSplitBytes, "more than %d bytes: %w", maxSplitBytes, ErrTooLarge)
	}
	var f splitFile
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&f); err != nil {
		return nil, jsonError(file, dec.InputOffset(), err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, atByte(file, dec.InputOffset(), "%w: bytes after the end", ErrFormat)
	}
	return f.splits(n, file)
}

// jsonError names the byte at which decoding stopped.
func jsonError(file string, reached int64, err error) error {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return atByte(file, reached, "%w: the JSON value is not closed", ErrTruncated)
	case errors.As(err, &syntax):
		return atByte(file, syntax.Offset, "%w: %v", ErrFormat, err)
	case errors.As(err, &typ):
		return atByte(file, typ.Offset, "%w: %v", ErrFormat, err)
	}
	return inFile(file, "%w: %v", ErrFormat, err)
}

func (f *splitFile) splits(n int, file string) ([]Split, error) {
	if f.Nodes != nil && *f.Nodes != n {
		return nil, inFile(file, "splits of %d nodes for a graph of %d: %w", *f.Nodes, n, ErrShape)
	}
	if f.Train == nil || f.Val == nil {
		return nil, inFile(file, `%w: the keys "train" and "val" are required`, ErrMissing)
	}
	if len(f.Train) != len(f.Val) || f.Test != nil && len(f.Test) != len(f.Train) {
		return nil, inFile(file, "%d train, %d val and %d test lists: %w", len(f.Train), len(f.Val), len(f.Test), ErrShape)
	}
	splits := make([]Split, len(f.Train))
	for i := range splits {
		splits[i] = Split{Train: f.Train[i], Val: f.Val[i]}
		if f.Test != nil {
			splits[i].Test = f.Test[i]
		}
		if err := splits[i].check(n); err != nil {
			return nil, inFile(file, "split %d: %w", i, err)
		}
	}
	return splits, nil
}

// OpenSplits reads the split file at path, gzipped or not. See [ReadSplits].
func OpenSplits(path string, n int) ([]Split, error) {
	f, err := openFile(path, freeText)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readSplits(f, n, path)
}

// WriteSplits writes splits of a graph of n nodes in the form that
// [ReadSplits] reads; reading them back gives the same splits. Either every
// split has a Test or none.
//
// Errors, before anything is written: ErrMissing for a nil writer, ErrIndex for a node
// outside the graph, ErrDuplicate for one that is given twice, ErrShape where only some
// splits have a Test. Any other is the writer's own.
func WriteSplits(w io.Writer, n int, splits []Split) error {
	if err := checkWriter("splits", w); err != nil {
		return err
	}
	f := splitFile{Nodes: &n, Train: make([][]int, len(splits)), Val: make([][]int, len(splits))}
	for i, s := range splits {
		if err := s.check(n); err != nil {
			return fmt.Errorf("dataset: write split %d: %w", i, err)
		}
		if (s.Test == nil) != (splits[0].Test == nil) {
			return fmt.Errorf("dataset: write split %d: some splits have test nodes and some do not: %w", i, ErrShape)
		}
		f.Train[i], f.Val[i] = list(s.Train), list(s.Val)
		if s.Test != nil {
			f.Test = append(f.Test, s.Test)
		}
	}
	if err := json.NewEncoder(w).Encode(&f); err != nil {
		return fmt.Errorf("dataset: write splits: %w", err)
	}
	return nil
}

// list keeps an empty part an empty JSON list rather than null.
func list(nodes []int) []int {
	if nodes == nil {
		return []int{}
	}
	return nodes
}

// maxDrawn bounds how many splits are drawn: each takes memory, and a thousand
// tell a mean to a thirtieth of a deviation.
const maxDrawn = 1 << 20

// RandomSplits draws count splits: from each class perClass nodes for
// training, but at most a third of the class, and as many for validation; the
// rest is for testing. Nodes with a negative label are never drawn (they are
// among the test nodes). Each split has its own random stream, seeded by
// (seed, its number), so that the first splits do not depend on count. The
// error wraps ErrOption, ErrTooLarge (more than 2²⁰ splits) or ErrIndex. Cost
// O(count · n).
func RandomSplits(labels []int, perClass, count int, seed uint64) ([]Split, error) {
	if perClass < 1 || count < 1 {
		return nil, fmt.Errorf("dataset: %d splits of %d nodes a class, both must be at least 1: %w", count, perClass, ErrOption)
	}
	if count > maxDrawn {
		return nil, fmt.Errorf("dataset: %d splits, the largest number is %d: %w", count, maxDrawn, ErrTooLarge)
	}
	var members [][]int
	for i, l := range labels {
		if l >= maxClasses {
			return nil, fmt.Errorf("dataset: node %d has label %d, the largest allowed is %d: %w", i, l, maxClasses-1, ErrIndex)
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
