package distributed

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"coles"
	"coles/dataset"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"gonum.org/v1/gonum/mat"
)

// modelName is the file of the model in a folder of [Run].
const modelName = "model.coles"

// blocksEmbedded counts the shards of the embedding that have been written.
var blocksEmbedded = beam.NewCounter("coles", "blocks_embedded")

// shardName is the name of the shard of a block.
func shardName(block, blocks int64) string {
	return fmt.Sprintf("y-%05d-of-%05d.npy", block, blocks)
}

// writeResult writes an embedding and its model to a folder, and the list of all files.
func (p plan) writeResult(s beam.Scope, folder string, embedding, model beam.PCollection) {
	s = s.Scope("Write")
	listed(s, folder,
		beam.ParDo(s, &writeEmbedding{folder, p.blocks(), p.Grid.Messages == coles.Float32}, embedding),
		beam.ParDo(s, &writeSmall{folder, modelName}, model))
}

// writeEmbedding writes a block as a shard. An attempt that fails, or runs beside another, leaves no broken shard: see
// writeFile.
type writeEmbedding struct {
	Folder string
	Blocks int64
	Single bool // numbers of float32
}

func (f *writeEmbedding) ProcessElement(ctx context.Context, block int64, y rowChunk) (int64, File, error) {
	var m mat.Matrix = mat.NewDense(y.height(), y.Columns, y.Data)
	if f.Single {
		m = &coles.Dense32{Rows: y.height(), Cols: y.Columns, Stride: y.Columns, Data: converted[float32](y.Data)}
	}
	file, err := writeFile(ctx, f.Folder, shardName(block, f.Blocks), func(w io.Writer) error { return dataset.WriteNPY(w, m) })
	if err == nil {
		blocksEmbedded.Inc(ctx, 1)
	}
	file.First, file.Rows = y.First, int64(y.height())
	return 0, file, err
}

// ReadEmbedding reads the shards of an embedding (n × d′) that [Run] wrote into one matrix, which
// must fit into memory, and compares them with the manifest.
//
// Errors: as of [ReadManifest], coles.ErrChecksum, and coles.ErrShape for a manifest whose shards are
// not all there.
func ReadEmbedding(ctx context.Context, folder string) (*mat.Dense, error) {
	m, err := ReadManifest(ctx, folder)
	if err != nil {
		return nil, err
	}
	var y *mat.Dense
	next := int64(0)
	for _, f := range m.Files {
		if f.Rows == 0 {
			continue
		}
		content, err := f.read(ctx, folder)
		if err != nil {
			return nil, err
		}
		part, err := dataset.ReadNPY(bytes.NewReader(content))
		if err != nil {
			return nil, fmt.Errorf("distributed: %s: %w", f.Name, err)
		}
		rows, columns := part.Dims()
		if y == nil {
			y = mat.NewDense(int(m.Nodes), columns, nil)
		}
		if _, width := y.Dims(); f.First != next || int64(rows) != f.Rows || next+f.Rows > m.Nodes || columns != width {
			return nil, fmt.Errorf("distributed: %s: %w: rows from %d on where %d is expected", f.Name, coles.ErrShape, f.First, next)
		}
		y.Slice(int(next), int(next)+rows, 0, columns).(*mat.Dense).Copy(part)
		next += f.Rows
	}
	if next != m.Nodes {
		return nil, fmt.Errorf("distributed: %s: %w: %d rows of %d", folder, coles.ErrShape, next, m.Nodes)
	}
	return y, nil
}
