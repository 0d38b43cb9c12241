package table_test

import (
	"context"
	"fmt"
	"log"

	"coles/table"

	"gonum.org/v1/gonum/mat"
)

// A program fills a table from what it has, and encodes those that come later alike.
func Example() {
	products := []struct {
		SKU, Brand string
		Price      float64
		Title      string
	}{
		{"m1", "Acme", 8, "red mug"},
		{"m2", "Acme", 10, "large red mug"},
		{"t1", "Brio", 12, "wooden train"},
		{"t2", "Brio", 14, "red train"},
	}
	t := table.New("brand", "price", "title")
	for _, p := range products {
		t.Add(p.SKU, p.Brand, p.Price, p.Title)
	}
	ctx := context.Background()
	e, err := table.Fit(ctx, t)
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range e.Variables() {
		fmt.Println(v.Name, "–", &v)
	}
	x, err := e.Encode(ctx, t) // for coles.Fit
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Names())
	fmt.Printf("%.2f\n", mat.Formatted(x))

	later := table.New("title", "price")
	later.Add("t3", "blue train", nil)
	y, err := e.Encode(ctx, later)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mat.Formatted(y))
	// Output:
	// brand – category, 2 values, 0 holes, 2 features
	// price – number, 4 values, 0 holes, 1 feature
	// title – text, 5 words, 0 holes, 3 features
	// [brand=Acme brand=Brio price title:mug title:red title:train]
	// ⎡ 1.00   0.00  -1.34   1.00   1.00   0.00⎤
	// ⎢ 1.00   0.00  -0.45   1.00   1.00   0.00⎥
	// ⎢ 0.00   1.00   0.45   0.00   0.00   1.00⎥
	// ⎣ 0.00   1.00   1.34   0.00   1.00   1.00⎦
	// [0  0  0  0  0  1]
}
