package task_test

import (
	"context"
	"fmt"
	"log"

	"coles/dataset"
	"coles/learn"
	"coles/task"
)

// The karate club split in two. Four members say with whom they went, and the others are predicted.
func Example() {
	ctx := context.Background()
	club := dataset.KarateClub()
	went := append([]int(nil), club.Labels...)
	for i := range club.Labels {
		if i != 0 && i != 1 && i != 32 && i != 33 {
			club.Labels[i] = -1
		}
	}
	d, err := task.New(club)
	if err != nil {
		log.Fatal(err)
	}
	target, err := task.TargetOf(club, d.Graph.Nodes(), "")
	if err != nil {
		log.Fatal(err)
	}
	how := learn.Options{Seed: 1}
	fit, err := d.Fit(ctx, task.Fitting{Labels: &target, How: how})
	if err != nil {
		log.Fatal(err)
	}
	p, err := task.FitPredictor(ctx, d.Graph, fit.Rows, fit.Model, target, how)
	if err != nil {
		log.Fatal(err)
	}
	answers, err := p.Answers(ctx, d.Graph, fit.Rows, target, nil)
	if err != nil {
		log.Fatal(err)
	}
	right := 0
	for i, a := range answers {
		if a.Classes[0].Class == went[i] {
			right++
		}
	}
	fmt.Println(right > 30, "of", len(answers))
	// Output: true of 34
}
