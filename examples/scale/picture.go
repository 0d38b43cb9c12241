package main

import (
	"fmt"

	"coles/eval/picture"
)

// drawGrowth writes a picture of the time of Fit over the edges, both on logarithmic
// axes, beside the line of linear growth.
func drawGrowth(rows []row, path string) error {
	measured := picture.Series{Name: "measured"}
	for _, r := range rows {
		measured.X, measured.Y = append(measured.X, float64(r.Edges)), append(measured.Y, r.fit())
	}
	title := fmt.Sprintf("coles.Fit: %d features, %d columns, %d hops", rows[0].Features, rows[0].Dim, rows[0].Hops)
	drawn, err := picture.Scaling(picture.Axes{Title: title, X: "edges", Y: "time, s"}, measured)
	if err != nil {
		return fmt.Errorf("cannot draw %s: %w", path, err)
	}
	return drawn.WriteFile(path)
}
