package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"coles/dataset"
	"coles/examples/shared/cli"
	"coles/gnn"

	"gonum.org/v1/gonum/mat"
)

// keptAt is where the embedding by a method with one seed is kept; "" for one that nothing keeps. The name distinguishes
// the settings of a network from others, which an older command may have had.
func (m method) keptAt(o options, p *problem, seed uint64) string {
	if o.keep == "" || !m.seeded {
		return ""
	}
	name := fmt.Sprintf("%s-%d.npy", plain(m.name), seed)
	if m.settings != nil {
		text, err := json.Marshal(m.settings(p.Name))
		if err != nil {
			panic(err) // the settings are of this program, and go into models as JSON
		}
		name = fmt.Sprintf("%08x-%s", crc32.ChecksumIEEE(text), name)
	}
	return filepath.Join(o.keep, p.Name, name)
}

// kept is an embedding, read where a run before has kept it, and kept for the next one.
func (m method) kept(ctx context.Context, o options, p *problem, seed uint64) (mat.Matrix, error) {
	path := m.keptAt(o, p, seed)
	if path == "" {
		return m.embed(ctx, p, seed)
	}
	y, err := dataset.Open(path, dataset.ReadNPY)
	if !errors.Is(err, fs.ErrNotExist) {
		return y, err
	}
	made, err := m.embed(ctx, p, seed)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o777)
	}
	if err == nil {
		err = dataset.WriteFile(path, func(w io.Writer) error { return dataset.WriteNPY(w, made) })
	}
	return made, err
}

// expectedEpochs stands for the epochs of a training that ends when its loss no longer falls: DGI takes
// about as many on Cora and Citeseer.
const expectedEpochs = 200

// foretellAll prints the expected time of a table that foretells it.
func (t table) foretellAll(ctx context.Context, o options, progress *cli.Line) error {
	if !t.foretells {
		return nil
	}
	var all time.Duration
	for _, name := range o.datasetsOf(t) {
		p, err := load(ctx, o, name, progress)
		if err != nil {
			return err
		}
		takes, err := t.foretell(ctx, o, p, progress)
		if err != nil {
			return fmt.Errorf("%s: %s, %w", t.Name, name, err)
		}
		all += takes
	}
	progress.Note("%s: to train all once takes about %v; what is then near the best is trained %d times", t.Name, all.Round(time.Second), cmp.Or(o.seeds, t.seeds, 3))
	return nil
}

// foretell predicts the time of the first trainings of a table's rows on a data set, from the second of
// two epochs.
func (t table) foretell(ctx context.Context, o options, p *problem, progress *cli.Line) (all time.Duration, err error) {
	for _, m := range t.rows {
		if m.settings == nil || p.Features == nil || o.keep != "" && exists(m.keptAt(o, p, 1)) {
			continue
		}
		s := m.settings(p.Name)
		var told [2]time.Time
		_, err := gnn.Train(ctx, p.graph, p.Features, gnn.WithSettings(s), gnn.With(func(s *gnn.Settings) { s.Epochs = 2 }), gnn.WithEpochReport(func(e gnn.EpochReport) { told[e.Epoch-1] = time.Now() }))
		if err != nil {
			return 0, fmt.Errorf("%s: %w", m.title(), err)
		}
		epochs := s.Epochs
		if s.Patience > 0 {
			epochs = min(epochs, expectedEpochs)
		}
		takes := time.Duration(epochs) * told[1].Sub(told[0])
		progress.Note("%s, %s: %s takes about %v for %d epochs", t.Name, p.Name, m.title(), takes.Round(time.Second), epochs)
		all += takes
	}
	return all, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
