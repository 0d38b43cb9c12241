package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	"coles"
	"coles/dataset"
	"coles/gnn"
)

const (
	// hidden is the width of the first layer and epochs how many a run times.
	hidden = 512
	epochs = 12
)

// trainings are the rows of -train, with the paper's numbers of columns.
var trainings = []job{{name: "cora", dim: 512}, {name: "pubmed", dim: 256}}

// measureTraining times an epoch of COLES-GCN: forward, backward and the step of Adam.
func (o options) measureTraining(ctx context.Context, j job) (row, error) {
	r := row{Graph: j.name, Dim: j.dim, Network: fmt.Sprintf("gcn %d-%d", hidden, j.dim)}
	path := filepath.Join(o.data, "npz", j.name+".npz")
	d, err := dataset.OpenNPZ(path)
	if err != nil {
		return r, err
	}
	g, err := coles.FromCSR(d.Adjacency, coles.WithSymmetrization())
	if err != nil {
		return r, err
	}
	peak := watchPeak()
	for range o.runs {
		runtime.GC() // so that no run pays for the one before
		var seconds []float64
		begun := 0.0
		m, err := gnn.Train(ctx, g, d.Features, gnn.WithNetwork(gnn.GCN(hidden), gnn.ReLU(), gnn.GCN(j.dim)),
			gnn.WithFeatures(coles.PrepareNone, 1), gnn.WithNegatives(coles.UniformNegatives(5)), gnn.WithEta(0.9), gnn.WithObjective(gnn.COLES(1)),
			gnn.WithEpochs(epochs), gnn.WithProgress(func(p gnn.Progress) {
				seconds, begun = append(seconds, p.Seconds-begun), p.Seconds
			}))
		if err != nil {
			return r, err
		}
		r.Seconds = append(r.Seconds, median(seconds))
		r.Precision = m.Report().Precision
		if len(o.peer) == 0 {
			continue
		}
		peer, err := j.trainPeer(ctx, o.peer, path)
		if err != nil {
			return r, err
		}
		r.Peer = append(r.Peer, peer)
	}
	r.PeakBytes = peak()
	return r, nil
}

// trainPeer returns the seconds of an epoch that the other program reports.
func (j job) trainPeer(ctx context.Context, command []string, path string) (float64, error) {
	out, err := output(ctx, exec.CommandContext(ctx, command[0], slices.Concat(command[1:],
		[]string{"--npz", path, "--hidden", strconv.Itoa(hidden), "--dim", strconv.Itoa(j.dim), "--epochs", strconv.Itoa(epochs)})...))
	if err != nil {
		return 0, err
	}
	var said struct {
		Epoch float64 `json:"epoch_seconds"`
	}
	if err := json.Unmarshal(out, &said); err != nil || said.Epoch <= 0 {
		return 0, fmt.Errorf("%s printed %.80q, want a JSON object with seconds as \"epoch_seconds\"", command[0], out)
	}
	return said.Epoch, nil
}
