package webmap_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"coles"
	"coles/dataset"
	"coles/plane"
	"coles/webmap"
)

// A map of the karate club, with the members nearest to each.
func Example() {
	ctx := context.Background()
	data := dataset.KarateClub()
	g, err := data.Graph()
	if err != nil {
		log.Fatal(err)
	}
	m, err := coles.Fit(ctx, g, nil, coles.WithDim(4))
	if err != nil {
		log.Fatal(err)
	}
	places, err := plane.TSNE{Seed: 1}.Places(ctx, m.Embedding())
	if err != nil {
		log.Fatal(err)
	}
	var page strings.Builder
	err = webmap.Map{
		Title: "Karate club", IDs: g.IDs(), Groups: data.Labels, Names: []string{"instructor", "administrator"},
		Panels: []webmap.Panel{{Title: "embedding", Places: places}},
	}.Write(&page)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(page.String(), "administrator"))
	// Output: true
}
