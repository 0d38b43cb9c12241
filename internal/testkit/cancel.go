package testkit

import (
	"context"
	"errors"
	"testing"
	"time"

	"coles/internal/peak"
	"coles/internal/race"
)

// promised is how long a call may go on once its context has ended.
const promised = 100 * time.Millisecond

// Stops cancels a call at several moments and measures the time that the program's processors work
// from then until it returns: on a machine that is busy with other things they do not work more, as
// clocks would have it.
func Stops(t *testing.T, call func(ctx context.Context) error) {
	t.Helper()
	cancelled := 0
	for _, after := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 80 * time.Millisecond} {
		ctx, cancel := context.WithCancel(context.Background())
		asked := make(chan time.Duration, 1)
		timer := time.AfterFunc(after, func() {
			asked <- peak.Time()
			cancel()
		})
		err := call(ctx)
		ended := peak.Time()
		if timer.Stop() {
			break // it was over before
		}
		worked := ended - <-asked
		switch {
		case errors.Is(err, context.Canceled):
			cancelled++
		case err != nil:
			t.Errorf("cancelled after %v: %v", after, err)
		}
		if worked > promised*race.Slowdown {
			t.Errorf("cancelled after %v, it worked for %v more, promised are %v", after, worked, promised)
		}
	}
	if cancelled == 0 {
		t.Error("the call was always over before it could be cancelled: the case is too small")
	}
}
