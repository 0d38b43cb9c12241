package optim

import (
	"math"

	"coles/internal/setting"
)

// A Schedule changes the learning rate from epoch to epoch. The zero value keeps it
// constant. The text form, in JSON too, is
//
//	constant          Schedule{}
//	cosine:10         Cosine(10)
//	exponential:0.99  Exponential(0.99)
type Schedule struct {
	name   string
	warmup int
	factor float64
}

// The names in the text form.
const (
	constantName    = "constant"
	cosineName      = "cosine"
	exponentialName = "exponential"
)

// scheduleForms are the text forms of schedules.
var scheduleForms = []setting.Way[Schedule]{
	setting.WayOf(constantName, func(*setting.Form) Schedule { return Schedule{} }),
	setting.WayOf(cosineName, func(f *setting.Form) Schedule { return Cosine(f.Int()) }),
	setting.WayOf(exponentialName, func(f *setting.Form) Schedule { return Exponential(f.Float()) }),
}

// Cosine lets the rate rise in equal steps over the first warmup epochs and then fall as half a
// cosine to zero behind the last one (Loshchilov and Hutter 2017).
func Cosine(warmup int) Schedule { return Schedule{name: cosineName, warmup: warmup} }

// Exponential multiplies the rate by factor, in (0, 1], after every epoch.
func Exponential(factor float64) Schedule { return Schedule{name: exponentialName, factor: factor} }

// Ends reports whether the rate of an epoch depends on how many there will be.
func (s Schedule) Ends() bool { return s.name == cosineName }

// Share multiplies the rate in an epoch, counted from 0.
func (s Schedule) Share(epoch, epochs int) float64 {
	switch s.name {
	case cosineName:
		if epoch < s.warmup {
			return float64(epoch+1) / (float64(s.warmup) + 1)
		}
		return (1 + math.Cos(math.Pi*float64(epoch-s.warmup)/float64(max(1, epochs-s.warmup)))) / 2
	case exponentialName:
		return math.Pow(s.factor, float64(epoch))
	}
	return 1
}

func (s Schedule) check() error {
	switch {
	case s.warmup < 0:
		return bad("Schedule", s, "a warmup of 0 epochs or more")
	case s.name == exponentialName && !(s.factor > 0 && s.factor <= 1):
		return bad("Schedule", s, "a factor more than 0, at most 1")
	}
	return nil
}

// String returns the text form.
func (s Schedule) String() string {
	switch s.name {
	case cosineName:
		return setting.Text(cosineName, s.warmup)
	case exponentialName:
		return setting.Text(exponentialName, s.factor)
	}
	return constantName
}

// MarshalText gives the text form.
func (s Schedule) MarshalText() ([]byte, error) { return []byte(s.String()), s.check() }

// UnmarshalText reads the text form, or fails with [coles.ErrSetting].
func (s *Schedule) UnmarshalText(text []byte) error {
	return setting.ReadText(s, text, scheduleForms, Schedule.check)
}
