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

// take returns the piece that was left at a place.
func (at *place) take() (beam.T, error) {
	p, is := parked.LoadAndDelete(*at)
	if !is {
		return piece{}, fmt.Errorf("distributed: element: %w: nothing is left at place %d of job %s", coles.ErrFormat, at.Number, at.Job)
	}
	return p, nil
}

// clearPlaces drops what a job that failed has left.
func clearPlaces(job string) {
	parked.Range(func(at, _ any) bool {
		if at.(place).Job == job {
			parked.Delete(at)
		}
		return true
	})
}
