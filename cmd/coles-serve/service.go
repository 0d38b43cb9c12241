package main

import (
	"context"
	"crypto/sha256"
	"log"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"coles/examples/shared/cli"
)

// A service answers by the view of now, and makes the next one.
type service struct {
	load  func(context.Context) (*state, error)
	one   sync.Mutex // held while a state is made
	share float64    // of changes that begin a fit; 0 for none
	ctx   context.Context
	log   *log.Logger
	token *[sha256.Size]byte // hashed; nil for none
	taken atomic.Int64       // bytes, by the requests under way
	hosts cli.Hosts

	writing sync.Mutex // held by who changes the view, and while the disk is waited for
	journal *journal   // nil keeps nothing

	reading sync.RWMutex // of the view
	now     view
}

// look is the one way to the view, which does not change until done is called. A request looks once at a time, when it has
// been read, as a writer waits for it.
func (s *service) look() (v *view, done func()) {
	s.reading.RLock()
	return &s.now, s.reading.RUnlock
}

// reload makes a new state, for who holds s.one. Requests go on with the old one until it is there, and
// after an error.
func (s *service) reload(ctx context.Context, why string) error {
	if s.journal != nil { // the files are where it began
		err := s.refit(ctx, why)
		if err != nil {
			s.log.Printf("fit by %s: %v; the last one goes on", why, err)
		}
		return err
	}
	start := time.Now()
	next, err := s.load(ctx)
	if err != nil {
		s.log.Printf("reload by %s: %v; the files as they were go on", why, err)
		return err
	}
	s.log.Printf("reload by %s: %v, %.1f s", why, next.Graph.Report(), time.Since(start).Seconds())
	s.serveState(next)
	return nil
}

// serveState has requests read a state, to which nothing has been told.
func (s *service) serveState(next *state) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.publish(view{state: next, book: newBook(next.Data)}, next.notes)
}

// publish has requests read a view, for who holds s.writing or is alone, and logs notes.
func (s *service) publish(next view, notes []string) {
	for _, note := range notes {
		s.log.Print(note)
	}
	s.reading.Lock()
	defer s.reading.Unlock()
	s.now = next
}

// reloadAt reloads at every signal until ctx is done. One that comes during a reload, which may have
// read the files already, has another follow.
func (s *service) reloadAt(ctx context.Context, signals <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
			s.one.Lock()
			s.reload(ctx, "SIGHUP") // which logs its errors
			s.one.Unlock()
		}
	}
}
