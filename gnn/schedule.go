package gnn

import (
	"encoding/json"
	"fmt"
	"math"

	"coles"
	"coles/internal/enum"
	"coles/internal/strict"
)

// A Schedule says how the learning rate changes from epoch to epoch. The zero
// value keeps it as it is.
type Schedule struct {
	kind   scheduleKind
	warmup int
	factor float64
}

type scheduleKind int

const (
	constantSchedule scheduleKind = iota
	cosineSchedule
	exponentialSchedule
)

var scheduleNames = []string{"constant", "cosine", "exponential"}

func (k scheduleKind) MarshalText() ([]byte, error) {
	return enum.Marshal(k, scheduleNames, coles.ErrSetting)
}

func (k *scheduleKind) UnmarshalText(text []byte) error {
	return enum.Unmarshal(k, text, scheduleNames, coles.ErrSetting)
}

// Constant keeps the learning rate.
func Constant() Schedule { return Schedule{} }

// Cosine lets the rate rise in equal steps over the first warmup epochs and then
// fall as half a cosine to zero behind the last one (Loshchilov and Hutter 2017).
func Cosine(warmup int) Schedule { return Schedule{kind: cosineSchedule, warmup: warmup} }

// Exponential multiplies the rate by factor, in (0, 1], after every epoch.
func Exponential(factor float64) Schedule {
	return Schedule{kind: exponentialSchedule, factor: factor}
}

// share is what the rate is multiplied by in an epoch, counted from 0.
func (s Schedule) share(epoch, epochs int) float64 {
	switch s.kind {
	case cosineSchedule:
		if epoch < s.warmup {
			return float64(epoch+1) / (float64(s.warmup) + 1)
		}
		return (1 + math.Cos(math.Pi*float64(epoch-s.warmup)/float64(max(1, epochs-s.warmup)))) / 2
	case exponentialSchedule:
		return math.Pow(s.factor, float64(epoch))
	}
	return 1
}

func (s Schedule) check() error {
	switch {
	case s.kind < 0 || int(s.kind) >= len(scheduleNames):
		return fmt.Errorf("gnn: schedule: %w: %v", coles.ErrSetting, enum.Name(s.kind, scheduleNames))
	case s.warmup < 0:
		return fmt.Errorf("gnn: schedule: %w: warmup of %d epochs", coles.ErrSetting, s.warmup)
	case s.kind == exponentialSchedule && !(s.factor > 0 && s.factor <= 1):
		return fmt.Errorf("gnn: schedule: %w: factor %v, want more than 0 to 1", coles.ErrSetting, s.factor)
	}
	return nil
}

// scheduleJSON is a schedule outside Go.
type scheduleJSON struct {
	Kind   *scheduleKind `json:"kind"` // which has to be there
	Warmup int           `json:"warmup,omitempty"`
	Factor float64       `json:"factor,omitempty"`
}

// MarshalJSON writes the kind of the schedule and its numbers.
func (s Schedule) MarshalJSON() ([]byte, error) {
	return json.Marshal(scheduleJSON{&s.kind, s.warmup, s.factor})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Schedule) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	var j scheduleJSON
	if err := strict.Unmarshal(text, &j, coles.ErrSetting); err != nil {
		return err
	}
	if j.Kind == nil {
		return fmt.Errorf("gnn: schedule: %w: no kind", coles.ErrSetting)
	}
	read := Schedule{*j.Kind, j.Warmup, j.Factor}
	if err := read.check(); err != nil {
		return err
	}
	*s = read
	return nil
}
