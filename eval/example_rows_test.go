package eval_test

import (
	"context"
	"fmt"
	"log"

	"coles"
	"coles/eval"

	"gonum.org/v1/gonum/mat"
)

func ExampleAlignment() {
	pairs, err := eval.PositivePairs(triangles)
	if err != nil {
		log.Fatal(err)
	}
	a, err := eval.Alignment(context.Background(), triangleRows, pairs, 2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", a)
	// Output: 0.240
}

func ExampleUniformity() {
	u, err := eval.Uniformity(context.Background(), triangleRows, 2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", u)
	// Output: -0.998
}

// The two terms of the loss of COLES, −log(e^(u·v) / M₀(e^(u′·v), …)).
func ExampleContrastAlignment() {
	ctx := context.Background()
	attraction, err := eval.ContrastAlignment(ctx, triangleRows, []coles.Edge{{U: 0, V: 1}, {U: 4, V: 5}})
	if err != nil {
		log.Fatal(err)
	}
	repulsion, err := eval.ContrastUniformity(ctx, triangleRows, []coles.Edge{{U: 0, V: 3}, {U: 2, V: 5}}, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f + %.1f\n", attraction, repulsion)
	// Output: -1.0 + 0.6
}

// The means in their order: harmonic, geometric, arithmetic, quadratic.
func ExampleContrastUniformity() {
	pairs := []coles.Edge{{U: 0, V: 3}, {U: 0, V: 4}, {U: 0, V: 5}}
	for _, p := range []float64{-1, 0, 1, 2} {
		u, err := eval.ContrastUniformity(context.Background(), triangleRows, pairs, p)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("M %2g: %.3f\n", p, u)
	}
	// Output:
	// M -1: 0.191
	// M  0: 0.200
	// M  1: 0.211
	// M  2: 0.222
}

func ExampleEffectiveRank() {
	// Four points on a circle need both dimensions, however it is turned.
	circle := mat.NewDense(4, 2, []float64{1, 1, -1, 1, -1, -1, 1, -1})
	r, err := eval.EffectiveRank(context.Background(), circle)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", r)
	// Output: 2.000
}

func ExampleLipschitzConstant() {
	k, err := eval.LipschitzConstant(context.Background(), triangleRows)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(k)
	// Output: 1
}
