package distributed

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"

	"coles"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// bucketNames is about how many names are joined in one go: names whose hashes fall together.
const bucketNames = 1 << 16

// names are names of nodes with their numbers, where Other and Weight are nil, or first ends of edges:
// the other end has a name in Other or already a number.
type names struct {
	Names   []string
	Numbers []int64
	Other   []string
	Weight  []float64
}

func (n names) check() error {
	fits := func(length int) bool { return length == 0 || length == len(n.Names) }
	if !fits(len(n.Numbers)) || !fits(len(n.Weight)) || !fits(len(n.Other)) || len(n.Numbers)+len(n.Other) != len(n.Names) {
		return fmt.Errorf("%d names with %d numbers, %d others and %d weights", len(n.Names), len(n.Numbers), len(n.Other), len(n.Weight))
	}
	return nil
}

// A naming has the numbers of names.
type naming struct {
	names   beam.PCollection // KV<int64, names>, by bucket
	buckets int64
}

// nameShards gives the shards of features the paths of their files of names.
func nameShards(ctx context.Context, globs []string, rows []rowShard) ([]rowShard, error) {
	files, err := expand(ctx, globs)
	if err != nil {
		return nil, err
	}
	if len(files) != len(rows) {
		return nil, fmt.Errorf("distributed: %w: %d files of names for %d shards of features", coles.ErrShape, len(files), len(rows))
	}
	shards := slices.Clone(rows)
	for k, file := range files {
		shards[k].Path = file
	}
	return shards, nil
}

func readNaming(s beam.Scope, shards beam.PCollection, buckets int64) naming {
	s = s.Scope("ReadNames")
	return naming{beam.ParDo(s, &readNames{buckets}, beam.Reshuffle(s, shards)), buckets}
}

func bucketsOf(nodes int64) int64 { return (nodes + bucketNames - 1) / bucketNames }

// A nameSorter holds names by their buckets.
type nameSorter struct {
	sorter[names]
	buckets int64
}

// at adds a name, and returns the names to add its data to.
func (s *nameSorter) at(name string) *names {
	h := fnv.New64a()
	h.Write([]byte(name))
	n := s.sorter.at(int64(h.Sum64() % uint64(s.buckets)))
	n.Names = append(n.Names, name)
	return n
}

type readNames struct{ Buckets int64 }

func (f *readNames) ProcessElement(ctx context.Context, shard rowShard, emit func(int64, names)) error {
	s, err := openShard(ctx, shard.Path)
	if err != nil {
		return err
	}
	defer s.Close()
	sort, row := &nameSorter{sorter[names]{emit: emit}, f.Buckets}, int64(0)
	for text, err := range s.lines(ctx) {
		if err == nil && len(text) == 0 {
			err = fmt.Errorf("%w: no name", coles.ErrIDs)
		}
		if err != nil {
			return fmt.Errorf("distributed: %s:%d: %w", shard.Path, row+1, err)
		}
		n := sort.at(string(text))
		n.Numbers = append(n.Numbers, shard.First+row)
		row++
	}
	if row != shard.Rows {
		return fmt.Errorf("distributed: %s: %w: %d names for %d rows of features", shard.Path, coles.ErrShape, row, shard.Rows)
	}
	sort.flush()
	return nil
}

// readEdges replaces names by numbers in two joins, each of which shuffles every edge with its names.
func (n naming) readEdges(s beam.Scope, files beam.PCollection) beam.PCollection {
	s = s.Scope("ReadNamedEdges")
	edges := beam.ParDo(s, &readNamedEdges{n.buckets}, beam.Reshuffle(s, files))
	half := beam.ParDo(s, &numberFirst{n.buckets}, beam.CoGroupByKey(s, n.names, edges))
	return beam.ParDo(s, &numberSecond{}, beam.CoGroupByKey(s, n.names, half))
}

type readNamedEdges struct{ Buckets int64 }

func (f *readNamedEdges) ProcessElement(ctx context.Context, shard rowShard, emit func(int64, names)) error {
	defer shardsRead.Inc(ctx, 1)
	sort := &nameSorter{sorter[names]{emit: emit}, f.Buckets}
	defer sort.flush()
	return eachEdge(ctx, shard.Path, func(e edge) error {
		n := sort.at(string(e.u))
		n.Other = append(n.Other, string(e.v))
		n.Weight = append(n.Weight, e.w)
		return nil
	})
}

// eachNumbered calls f with the number of every name in parts.
func eachNumbered(nodes, parts func(*names) bool, f func(number int64, n *names, q int)) error {
	numbers := map[string]int64{}
	for n := (names{}); nodes(&n); n = (names{}) {
		for q, name := range n.Names {
			if other, twice := numbers[name]; twice {
				return fmt.Errorf("distributed: %w: %q is the name of node %d and of node %d", coles.ErrIDs, name, min(other, n.Numbers[q]), max(other, n.Numbers[q]))
			}
			numbers[name] = n.Numbers[q]
		}
	}
	for n := (names{}); parts(&n); n = (names{}) {
		for q, name := range n.Names {
			number, known := numbers[name]
			if !known {
				return fmt.Errorf("distributed: %w: an edge names %q, which no node is called", coles.ErrIDs, name)
			}
			f(number, &n, q)
		}
	}
	return nil
}

// numberFirst replaces the first names of edges by numbers.
type numberFirst struct{ Buckets int64 }

func (f *numberFirst) ProcessElement(_ int64, nodes, edges func(*names) bool, emit func(int64, names)) error {
	sort := &nameSorter{sorter[names]{emit: emit}, f.Buckets}
	defer sort.flush()
	return eachNumbered(nodes, edges, func(number int64, n *names, q int) {
		to := sort.at(n.Other[q])
		to.Numbers = append(to.Numbers, number)
		to.Weight = append(to.Weight, n.Weight[q])
	})
}

// numberSecond replaces the second names by numbers.
type numberSecond struct{}

func (f *numberSecond) ProcessElement(_ int64, nodes, edges func(*names) bool, emit func(edgeChunk)) error {
	c := chunker{emit: emit}
	defer c.flush()
	return eachNumbered(nodes, edges, func(number int64, n *names, q int) {
		c.add(n.Numbers[q], number, n.Weight[q])
	})
}
