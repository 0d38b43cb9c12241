// Package scratch has memory that lies in files of a folder, for what is larger than memory and is read
// and written from its beginning to its end.
package scratch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
	"unsafe"
)

// A Space is such memory. Its files have no names: they are gone with the process, however that ends.
type Space struct {
	dir    string
	memory int64

	mutex sync.Mutex
	maps  [][]byte
	quit  chan struct{}
	ended sync.WaitGroup
}

const (
	// Held bytes of pages, not much more, are in memory at a time. What is written in thousands of places in
	// turn has a page of each; to drop these as soon as they are written would be to fetch them again.
	Held = 512 << 20

	often = 20 * time.Millisecond // between two looks: what a disk takes in it is small
)

// Open makes a space in a folder, whose user plans to hold so many bytes of other memory. Its pages leave the
// process's memory before they are more than [Held].
//
// Errors: [errors.ErrUnsupported] where the system has no such memory, and its own.
func Open(dir string, memory int64) (*Space, error) {
	s := &Space{dir: dir, memory: memory, quit: make(chan struct{})}
	probe, err := s.take(1) // whether the folder serves at all
	if err != nil {
		return nil, err
	}
	s.maps = append(s.maps, probe)
	s.ended.Add(1)
	go func() {
		defer s.ended.Done()
		s.drop()
	}()
	return s, nil
}

// Memory is the plan for other memory in bytes.
func (s *Space) Memory() int64 { return s.memory }

// Close gives all memory of the space back, which must not be looked at again. A nil space has none.
func (s *Space) Close() error {
	if s == nil {
		return nil
	}
	close(s.quit)
	s.ended.Wait()
	var all []error
	for _, m := range s.maps {
		all = append(all, unmap(m))
	}
	s.maps = nil
	return errors.Join(all...)
}

// drop takes pages out of the process's memory, again and again. They stay in their files, and who looks
// at one has it back.
func (s *Space) drop() {
	tick := time.NewTicker(often)
	defer tick.Stop()
	others := resident() // what others have mapped
	for {
		select {
		case <-s.quit:
			return
		case <-tick.C:
		}
		if resident() < others+Held {
			continue
		}
		s.mutex.Lock()
		maps := s.maps
		s.mutex.Unlock()
		for _, m := range maps {
			forget(m)
		}
		others = resident()
	}
}

// take is the memory of a new file of so many bytes, which the disk has set apart.
func (s *Space) take(bytes int64) (m []byte, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%d bytes in %s: %w", bytes, s.dir, err)
		}
	}()
	f, err := os.CreateTemp(s.dir, "coles-scratch-")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return nil, err
	}
	return mapped(f, bytes)
}

// Make is make([]T, n) in the space, and without a space.
//
// Errors: the system's, as syscall.ENOSPC where the disk is too full.
func Make[T any](s *Space, n int) ([]T, error) {
	if s == nil || n == 0 {
		return make([]T, n), nil
	}
	m, err := s.take(int64(n) * int64(unsafe.Sizeof(*new(T))))
	if err != nil {
		return nil, err
	}
	s.mutex.Lock()
	s.maps = append(s.maps, m)
	s.mutex.Unlock()
	return unsafe.Slice((*T)(unsafe.Pointer(&m[0])), n), nil
}

type key struct{}

// With returns a context under which large results are made in a space.
func With(ctx context.Context, s *Space) context.Context { return context.WithValue(ctx, key{}, s) }

// Of is the space of a context, nil without one.
func Of(ctx context.Context) *Space {
	s, _ := ctx.Value(key{}).(*Space)
	return s
}
