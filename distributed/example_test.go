package distributed_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path"
	"path/filepath"
	"strings"

	"coles"
	"coles/dataset"
	"coles/distributed"

	"gonum.org/v1/gonum/mat"
)

// shards writes the features of six nodes in two shards, and edges between their names.
func shards(dir string) error {
	for k, part := range []*mat.Dense{
		mat.NewDense(4, 2, []float64{1, 0, 2, 0, 1, 1, 0, 1}),
		mat.NewDense(2, 2, []float64{0, 2, 0, 3}),
	} {
		err := dataset.WriteFile(fmt.Sprintf("%s/x-%d.npy", dir, k), func(w io.Writer) error { return dataset.WriteNPY(w, part) })
		if err != nil {
			return err
		}
	}
	for name, lines := range map[string]string{
		"names-0.txt": "ann ben cat dan", "names-1.txt": "eve fay", "edges.csv": "ann,ben ben,cat cat,dan dan,eve eve,fay",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(lines, " ", "\n")), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// A job reads shards and writes shards. The program has called beam.Init.
func ExampleRun() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := shards(dir); err != nil {
		log.Fatal(err)
	}
	model, report, err := distributed.Run(ctx, distributed.Job{
		Features: []string{dir + "/x-*.npy"}, Names: []string{dir + "/names-*.txt"}, Edges: []string{dir + "/edges.csv"},
		Out: dir + "/y", Settings: coles.DefaultSettings(), Grid: distributed.Grid{Height: 3},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(model.Report().Graph)
	for _, f := range report.Manifest.Files {
		fmt.Println(path.Base(f.Name), f.Rows)
	}
	// Output:
	// 6 nodes, 5 edges
	// model.coles 0
	// y-00000-of-00002.npy 3
	// y-00001-of-00002.npy 3
}

// What a fit would shuffle, before anything is read.
func ExampleEstimate() {
	cost, err := distributed.Estimate(1e8, 1e9, 128, 128, 8, distributed.Grid{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(cost)
	// Output:
	// 6104 blocks of 16384 rows; the neighbours of a node lie in 20.0 others
	// 9 hops of 1.15 TB each (messages 1.03 TB, own rows 51.2 GB, state 72 GB), 10.4 TB in all
	// 7.45e+07 elements a hop, in frames of 4.47 GB; 65.9 hours of one core at the rates of the local engine
	// 168 MB of messages a key; 578 MB of memory for each block that a worker has in hand
	// on one machine: 163 GB
}
