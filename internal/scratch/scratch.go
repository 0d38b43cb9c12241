// Package scratch has memory that lies in files of a folder, for what is larger than memory and is read
// and written from its beginning to its end.
package scratch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
	"unsafe"
)

// A Space is such memory. Its files have no names: they are gone with the process, however that ends.
type Space struct {
	// Panels is how many bytes of memory two panels may take that are multiplied with a graph, which
	// reads them in no order: a space is not for these.
	Panels int64

	dir  string
	held int64

	mutex  sync.Mutex
	maps   [][]byte // of files
	panels [][]byte // of memory
	quit   chan struct{}
	ended  sync.WaitGroup
}

// often is the time between two looks at what is in memory: what a disk takes in it is small.
const often = 20 * time.Millisecond

// Open makes a space in a folder. Its pages leave the process's memory before they are much more than held bytes. Data written
// in thousands of places in turn have a page of each in memory: held should cover them.
//
// Errors: [errors.ErrUnsupported] where the system has no such memory, and its own.
func Open(dir string, held int64) (*Space, error) {
	s := &Space{dir: dir, held: held, quit: make(chan struct{})}
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

// Close gives all memory of the space back; it must not be read again. A nil space has none.
func (s *Space) Close() error {
	if s == nil {
		return nil
	}
	close(s.quit)
	s.ended.Wait()
	var all []error
	for _, m := range slices.Concat(s.maps, s.panels) {
		all = append(all, unmap(m))
	}
	s.maps, s.panels = nil, nil
	return errors.Join(all...)
}

// drop takes pages out of the process's memory, again and again. They stay in their files, and a read brings one back.
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
		if resident() < others+s.held {
			continue
		}
		s.mutex.Lock()
		for _, m := range s.maps {
			forget(m)
		}
		s.mutex.Unlock()
		others = resident()
	}
}

// take returns the memory of a new file, whose bytes are allocated on the disk.
func (s *Space) take(bytes int64) ([]byte, error) {
	f, err := os.CreateTemp(s.dir, "coles-scratch-")
	if err == nil {
		defer f.Close()
		err = os.Remove(f.Name())
	}
	if err != nil {
		var path *os.PathError // of a name that was made up here
		if errors.As(err, &path) {
			err = path.Err
		}
		return nil, fmt.Errorf("folder %s: %w", s.dir, err)
	}
	m, err := mapped(f, bytes)
	if err != nil {
		return nil, fmt.Errorf("%d bytes in %s: %w", bytes, s.dir, err)
	}
	return m, nil
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

// Panel is memory that is read in no order. It lies outside of Go's heap, which may grow to twice the memory in use and keeps
// unused memory for a while.
//
// Errors: the system's, as syscall.ENOMEM.
func Panel[T any](s *Space, n int) ([]T, error) {
	size := int64(n) * int64(unsafe.Sizeof(*new(T)))
	m, err := anonymous(size)
	if err != nil {
		return nil, fmt.Errorf("%d bytes of memory: %w", size, err)
	}
	s.mutex.Lock()
	s.panels = append(s.panels, m)
	s.mutex.Unlock()
	return unsafe.Slice((*T)(unsafe.Pointer(&m[0])), n), nil
}

// Release gives back what Make or Panel made in the space, and nothing else.
func Release[T any](s *Space, v []T) error {
	if s == nil || len(v) == 0 {
		return nil
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, all := range []*[][]byte{&s.maps, &s.panels} {
		for k, m := range *all {
			if unsafe.Pointer(&m[0]) == unsafe.Pointer(&v[0]) {
				*all = slices.Delete(*all, k, k+1)
				return unmap(m)
			}
		}
	}
	return nil
}

type key struct{}

// With returns a context under which large results are made in a space.
func With(ctx context.Context, s *Space) context.Context { return context.WithValue(ctx, key{}, s) }

// Of is the space of a context, nil without one.
func Of(ctx context.Context) *Space {
	s, _ := ctx.Value(key{}).(*Space)
	return s
}
