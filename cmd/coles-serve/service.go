package main

import (
	"context"
	"log"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A service has the state of now and makes the next one.
type service struct {
	load  func(context.Context) (*state, error)
	now   atomic.Pointer[state]
	one   sync.Mutex // held while a state is made
	kept  kept
	share float64 // of changes that begin a fit; 0 for none
	ctx   context.Context
	log   *log.Logger
}

// reload makes a new state, for who holds s.one. Requests go on with the old one until it is there, and
// after an error.
func (s *service) reload(ctx context.Context, why string) error {
	if s.kept.journal != nil { // the files are where it began
		return s.refit(ctx, why)
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

// serveState has requests read a state.
func (s *service) serveState(next *state) {
	for _, note := range next.notes {
		s.log.Print(note)
	}
	s.now.Store(next)
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
