package scratch

import (
	"context"
	"errors"
	"math"
	"os"
	"runtime"
	"syscall"
	"testing"
)

const held = 64 << 20

func space(t *testing.T) *Space {
	s, err := Open(t.TempDir(), held)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// What is written stays, whether its pages are in memory or not, and is zero before.
func TestPagesComeBack(t *testing.T) {
	s := space(t)
	const n = 100_003
	v, err := Make[float64](s, n)
	if err != nil || len(v) != n {
		t.Fatal(len(v), err)
	}
	for round := range 3 {
		for i := range v {
			if want := float64(i * round); v[i] != want {
				t.Fatalf("round %d: %v at %d, want %v", round, v[i], i, want)
			}
			v[i] = float64(i * (round + 1))
		}
		for _, m := range s.maps {
			forget(m)
		}
	}
}

// Pages leave memory, while they are written, before they are much more than what is held.
func TestPagesLeave(t *testing.T) {
	s := space(t)
	before := resident()
	const n = 3 * held / 8
	if free, err := Free(s.dir); err != nil || free < 8*n {
		t.Skipf("the disk has %d bytes, %v", free, err)
	}
	v, err := Make[uint64](s, n)
	if err != nil {
		t.Fatal(err)
	}
	most := int64(0)
	for i := range v {
		if v[i] = uint64(i); i%(1<<16) == 0 {
			runtime.Gosched() // as work in pieces does
			most = max(most, resident()-before)
		}
	}
	if most > 2*held {
		t.Errorf("%d bytes in memory, want some %d", most, held)
	}
	for i := range v {
		if v[i] != uint64(i) {
			t.Fatalf("%d at %d", v[i], i)
		}
	}
}

func TestFullDisk(t *testing.T) {
	s := space(t)
	if _, err := Make[byte](s, math.MaxInt/2); !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EFBIG) {
		t.Errorf("error %v", err)
	}
	if left, err := os.ReadDir(s.dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v in the folder", left, err)
	}
	if _, err := Open(s.dir+"/none", 0); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// A panel is no file's: its pages stay when those of files leave, and it goes when it is released.
func TestPanel(t *testing.T) {
	s := space(t)
	const n = 1 << 22
	v, err := Panel[float64](s, n)
	if err != nil || len(v) != n {
		t.Fatal(len(v), err)
	}
	for i := range v {
		v[i] = float64(i)
	}
	for _, m := range s.maps {
		forget(m)
	}
	for i := range v {
		if v[i] != float64(i) {
			t.Fatalf("%v at %d", v[i], i)
		}
	}
	if err := Release(s, v); err != nil || len(s.panels) > 0 {
		t.Errorf("%d panels are left, %v", len(s.panels), err)
	}
	if _, err := Panel[byte](s, math.MaxInt/2); !errors.Is(err, syscall.ENOMEM) {
		t.Errorf("error %v", err)
	}
}

func TestNoSpace(t *testing.T) {
	if v, err := Make[int32](Of(context.Background()), 5); len(v) != 5 || err != nil {
		t.Error(v, err)
	}
	s := &Space{}
	if got := Of(With(context.Background(), s)); got != s {
		t.Error(got)
	}
	if err := (*Space)(nil).Close(); err != nil {
		t.Error(err)
	}
}
