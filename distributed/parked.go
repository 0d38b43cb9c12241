package distributed

import (
	"fmt"
	"sync"
	"sync/atomic"

	"coles"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// The engine in the program copies every byte of an element some nine times. Where it runs a [Run], what is sent to one
// step alone stays where it is, and its place travels. A pipeline of other engines sends everything in frames.

// A place is where a piece waits to be taken, once.
type place struct {
	Job    string
	Number int64
}

var (
	parked  sync.Map // pieces by their places
	parking atomic.Int64
)

// park leaves a piece at a place and returns what travels.
func park(job string, p piece) piece {
	at := place{job, parking.Add(1)}
	parked.Store(at, p)
	return piece{Place: &at}
}

// sender emits what one step takes, once, which must not be fused to this one: the coder takes it.
func (w worker) sender(emit func(int64, piece)) func(int64, piece) {
	if w.Job == "" {
		return emit
	}
	return func(to int64, p piece) { emit(to, park(w.Job, p)) }
}

// take returns the piece that was left at a place.
func (at *place) take() (beam.T, error) {
	p, is := parked.LoadAndDelete(*at)
	if !is {
		return piece{}, fmt.Errorf("distributed: element: %w: nothing is left at place %d of job %s", coles.ErrFormat, at.Number, at.Job)
	}
	return p, nil
}

func (at *place) check() error { return nil }

// clearPlaces drops what a job that failed has left.
func clearPlaces(job string) {
	parked.Range(func(at, _ any) bool {
		if at.(place).Job == job {
			parked.Delete(at)
		}
		return true
	})
}
