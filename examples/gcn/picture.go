package main

import (
	"coles/eval/picture"
	"coles/gnn"
)

// curves are a training, epoch by epoch.
type curves struct{ epoch, loss, score []float64 }

func (c *curves) add(p gnn.Progress) {
	c.epoch = append(c.epoch, float64(p.Epoch))
	c.loss = append(c.loss, p.Loss)
	c.score = append(c.score, 100*p.Score)
}

// draw writes a picture of both curves, one above the other.
func (c *curves) draw(path string) error {
	loss, err := picture.Curves(picture.Axes{Title: "COLES-GCN: −Tr(HᵀΔWH)/n + β‖HᵀH/n − I‖²/d′", Y: "loss"},
		picture.Series{X: c.epoch, Y: c.loss})
	if err != nil {
		return err
	}
	score, err := picture.Curves(picture.Axes{X: "epoch", Y: "validation accuracy, %"},
		picture.Series{X: c.epoch, Y: c.score})
	if err != nil {
		return err
	}
	both, err := picture.Grid([]*picture.Picture{loss}, []*picture.Picture{score})
	if err != nil {
		return err
	}
	return both.WriteFile(path)
}
