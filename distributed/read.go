package distributed

import (
	"context"
	"fmt"
	"math"
	"strings"

	"coles"
	"coles/internal/matrix"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

const (
	// chunkEdges is the number of edges of a chunk: a megabyte of numbers.
	chunkEdges = 1 << 16
	// pieceNumbers is the most numbers of features that travel as one element: 4 MB.
	pieceNumbers = 1 << 19
)

// shardsRead counts the files that have been read.
var shardsRead = beam.NewCounter("coles", "shards_read")

// fileShards are the files of globs as shards of which nothing more is known.
func fileShards(ctx context.Context, globs []string) ([]rowShard, error) {
	names, err := expand(ctx, globs)
	shards := make([]rowShard, len(names))
	for k, name := range names {
		shards[k].Path = name
	}
	return shards, err
}

func readEdgeFiles(s beam.Scope, nodes int64, files beam.PCollection) beam.PCollection {
	s = s.Scope("ReadEdges")
	return beam.ParDo(s, &readEdges{nodes}, beam.Reshuffle(s, files))
}

type readEdges struct{ Nodes int64 }

func (f *readEdges) ProcessElement(ctx context.Context, shard rowShard, emit func(edgeChunk)) error {
	defer shardsRead.Inc(ctx, 1)
	path := shard.Path
	c := chunker{emit: emit}
	defer c.flush()
	if isNPY(path) {
		return f.pairs(ctx, path, &c)
	}
	return eachEdge(ctx, path, func(e edge) error {
		u, err := node(e.u, f.Nodes)
		if err != nil {
			return err
		}
		v, err := node(e.v, f.Nodes)
		if err == nil {
			c.add(u, v, e.w)
		}
		return err
	})
}

func isNPY(path string) bool {
	return strings.HasSuffix(path, ".npy") || strings.HasSuffix(path, ".npy.gz")
}

// pairs reads a matrix of m × 2 integers.
func (f *readEdges) pairs(ctx context.Context, path string, c *chunker) error {
	rows, cols, data, err := readNumbers(ctx, path)
	if err != nil {
		return err
	}
	if cols != 2 {
		return fmt.Errorf("distributed: %s: %w: %d × %d, edges are a matrix of m × 2", path, coles.ErrShape, rows, cols)
	}
	for q, v := range data {
		if v != math.Trunc(v) {
			return fmt.Errorf("distributed: %s: row %d: %w: node %v is no number of a node", path, q/2, coles.ErrFormat, v)
		}
		if err := checkNode(int64(v), f.Nodes); err != nil {
			return fmt.Errorf("distributed: %s: row %d: %w", path, q/2, err)
		}
		if q%2 == 1 {
			c.add(int64(data[q-1]), int64(v), 1)
		}
	}
	return nil
}

// A chunker collects edges until there are enough for an element.
type chunker struct {
	chunk edgeChunk
	emit  func(edgeChunk)
}

func (c *chunker) add(u, v int64, w float64) {
	if c.chunk.add(u, v, w); len(c.chunk.U) == chunkEdges {
		c.flush()
	}
}

func (c *chunker) flush() {
	if len(c.chunk.U) > 0 {
		c.emit(c.chunk)
	}
	c.chunk = edgeChunk{}
}

// A rowShard is a file of consecutive rows of X, or of the names of their nodes.
type rowShard struct {
	Path        string
	First, Rows int64
	Columns     int
}

// nodesOf is the number of rows in all shards.
func nodesOf(shards []rowShard) int64 {
	last := shards[len(shards)-1]
	return last.First + last.Rows
}

func readShards(s beam.Scope, shards beam.PCollection) beam.PCollection {
	s = s.Scope("ReadFeatures")
	return beam.ParDo(s, &readFeatures{}, beam.Reshuffle(s, shards))
}

// featureShards reads the headers.
func featureShards(ctx context.Context, globs []string) ([]rowShard, error) {
	names, err := expand(ctx, globs)
	if err != nil {
		return nil, err
	}
	shards, first := make([]rowShard, len(names)), int64(0)
	if err := each(ctx, len(names), func(ctx context.Context, k int) error {
		rows, columns, err := npyShape(ctx, names[k])
		shards[k] = rowShard{Path: names[k], Rows: rows, Columns: columns}
		return err
	}); err != nil {
		return nil, err
	}
	for k, s := range shards {
		if s.Columns != shards[0].Columns {
			return nil, fmt.Errorf("distributed: %s: %w: %d columns, and %d in %s", s.Path, coles.ErrShape, s.Columns, shards[0].Columns, names[0])
		}
		shards[k].First = first
		if first += s.Rows; first > math.MaxInt32 {
			return nil, fmt.Errorf("distributed: %s: %w: more than %d nodes", s.Path, coles.ErrTooLarge, math.MaxInt32)
		}
	}
	return shards, nil
}

type readFeatures struct{}

func (f *readFeatures) ProcessElement(ctx context.Context, shard rowShard, emit func(rowChunk)) error {
	defer shardsRead.Inc(ctx, 1)
	rows, columns, data, err := readNumbers(ctx, shard.Path)
	if err != nil {
		return err
	}
	if int64(rows) != shard.Rows || columns != shard.Columns {
		return fmt.Errorf("distributed: %s: %w: %d × %d, the header said %d × %d", shard.Path, coles.ErrShape, rows, columns, shard.Rows, shard.Columns)
	}
	for q, v := range data {
		if !matrix.Finite(v) {
			return fmt.Errorf("distributed: %s: %w: %v in row %d, column %d", shard.Path, coles.ErrNotFinite, v, q/columns, q%columns)
		}
	}
	height := max(1, pieceNumbers/columns)
	for lo := 0; lo < rows; lo += height {
		hi := min(lo+height, rows)
		emit(rowChunk{First: shard.First + int64(lo), Columns: columns, Data: data[lo*columns : hi*columns]})
	}
	return nil
}
