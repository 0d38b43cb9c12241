package gnn_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"

	"coles"
	"coles/gnn"

	"gonum.org/v1/gonum/mat"
)

// halfway is the checkpoint of a training after ten of its 20 epochs.
func halfway() (at *gnn.Checkpoint) {
	train(gnn.WithCheckpoints(10, func(c *gnn.Checkpoint) error {
		if c.Epoch() == 10 {
			at = c
		}
		return nil
	}))
	return at
}

// A place to leave a training at. The error that save returns is that of Train.
func ExampleWithCheckpoints() {
	g, x, _ := karate()
	enough := errors.New("enough")
	_, err := gnn.Train(context.Background(), g, x, gnn.WithNetwork(gnn.GCN(2)),
		gnn.WithCheckpoints(3, func(c *gnn.Checkpoint) error {
			fmt.Println("after", c.Epoch())
			if c.Epoch() >= 6 {
				return enough
			}
			return nil
		}))
	fmt.Println(errors.Is(err, enough))
	// Output:
	// after 3
	// after 6
	// true
}

// How far a training was: what Resume goes on from.
func ExampleCheckpoint_Epoch() {
	g, x, _ := karate()
	c := halfway()
	var first int
	_, err := gnn.Resume(context.Background(), c, g, x, gnn.WithProgress(func(p gnn.Progress) {
		if first == 0 {
			first = p.Epoch
		}
	}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("left after", c.Epoch(), "on with", first)
	// Output: left after 10 on with 11
}

// What was being trained is in the checkpoint. Only the number of epochs may be another.
func ExampleCheckpoint_Settings() {
	ctx := context.Background()
	g, x, _ := karate()
	c := halfway()
	fmt.Println(c.Settings().Network, c.Settings().Epochs)
	m, err := gnn.Resume(ctx, c, g, x, gnn.WithEpochs(30))
	if err != nil {
		log.Fatal(err)
	}
	_, err = gnn.Resume(ctx, c, g, x, gnn.WithEta(0.5))
	fmt.Println(m.Report().Epochs, errors.Is(err, gnn.ErrCheckpoint))
	// Output:
	// gcn(8) → relu → gcn(2) 20
	// 30 true
}

// A checkpoint outlives its process, with the moments of the optimizer: the end is that of
// a training without interruption.
func ExampleCheckpoint_WriteTo() {
	g, x, _ := karate()
	var file bytes.Buffer
	if _, err := halfway().WriteTo(&file); err != nil {
		log.Fatal(err)
	}
	c, err := gnn.ReadCheckpoint(&file)
	if err != nil {
		log.Fatal(err)
	}
	m, err := gnn.Resume(context.Background(), c, g, x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mat.Equal(m.Embedding(), train().Embedding()))
	// Output: true
}

// What a file does not hold is told by nil: the embedding is made from graph and features.
func ExampleModel_Embedding() {
	m := train()
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		log.Fatal(err)
	}
	read, err := gnn.ReadModel(&file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(read.Embedding() == nil, mat.Equal(embed(read), m.Embedding()))
	// Output: true true
}

// A weight by its name, for a look or for another program.
func ExampleModel_Parameter() {
	m := train()
	theta, ok := m.Parameter("2.weight")
	rows, cols := theta.Dims()
	fmt.Println(rows, cols, ok)
	_, ok = m.Parameter("1.weight") // ReLU has none
	fmt.Println(ok)
	// Output:
	// 8 2 true
	// false
}

// The names of all that was trained, by layer.
func ExampleModel_Parameters() {
	fmt.Println(train(gnn.WithNetwork(gnn.SAGE(4), gnn.PReLU(), gnn.Linear(2).Orthonormal())).Parameters())
	// Output: [0.self 0.neighbors 0.bias 1.slope 2.weight]
}

// What a training did, beside how long it took.
func ExampleModel_Report() {
	r := train().Report()
	fmt.Println(r.Graph)
	fmt.Println(r.Features, "features to", r.Dim, "columns,", r.Parameters, "parameters,", r.Epochs, "epochs")
	// Output:
	// 34 nodes, 78 edges
	// 34 features to 2 columns, 298 parameters, 20 epochs
}

// With the settings of a model its training is done again.
func ExampleModel_Settings() {
	m := train(gnn.WithEpochs(7), gnn.WithSeed(3))
	again := train(gnn.WithSettings(m.Settings()))
	fmt.Println(again.Report().Epochs, mat.Equal(again.Embedding(), m.Embedding()))
	// Output: 7 true
}

// A byte that has changed on the way is found out.
func ExampleModel_WriteTo() {
	var file bytes.Buffer
	n, err := train().WriteTo(&file)
	if err != nil {
		log.Fatal(err)
	}
	file.Bytes()[n-20]++
	_, err = gnn.ReadModel(&file)
	fmt.Println(errors.Is(err, coles.ErrChecksum))
	// Output: true
}
