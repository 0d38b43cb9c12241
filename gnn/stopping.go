package gnn

import (
	"context"
	"fmt"
	"math"

	"coles/internal/kernel"
)

// A judge scores the output of the network from time to time.
type judge[T kernel.Float] struct {
	every, patience int
	score           func(ctx context.Context, h kernel.Matrix[T]) (float64, error)
}

// best is the best that a judge has seen.
type best[T kernel.Float] struct {
	epoch  int // 0 before the first
	score  float64
	params []kernel.Matrix[T]
}

// ended tells whether the rank is as low as it may get or patience has come to its
// end.
func (r *run[T]) ended() bool {
	if r.StopRank > 0 && r.epoch > 0 && r.last.Rank <= r.StopRank {
		return true
	}
	return r.judge != nil && r.best.epoch > 0 && r.epoch-r.best.epoch >= r.judge.every*r.judge.patience
}

// validate asks the judge, when it is time, and keeps the parameters that it
// likes best. Of two epochs alike it is the earlier.
func (r *run[T]) validate(ctx context.Context) error {
	if r.judge == nil || r.epoch%r.judge.every != 0 && r.epoch != r.Epochs {
		return nil
	}
	h, err := r.output(ctx)
	if err != nil {
		return err
	}
	score, err := r.judge.score(ctx, h)
	if err != nil {
		return fmt.Errorf("validation: %w", err)
	}
	if math.IsNaN(score) || math.IsInf(score, 0) {
		return fmt.Errorf("validation: %w: the score is %v", ErrDiverged, score)
	}
	r.last.Score = score
	if r.best.epoch > 0 && score <= r.best.score {
		return nil
	}
	r.best.epoch, r.best.score, r.last.Best = r.epoch, score, score
	if r.best.params == nil {
		for _, p := range r.encoder.params {
			r.best.params = append(r.best.params, kernel.Dense[T](p.value.Rows, p.value.Cols))
		}
	}
	for k, p := range r.encoder.params {
		kernel.Copy(r.best.params[k], p.value)
	}
	return nil
}
