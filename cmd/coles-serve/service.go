package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"coles/examples/shared/cli"
	"coles/internal/inside"
	"coles/internal/matrix"
	"coles/learn"
	"coles/live"
	"coles/task"
)

// A service answers by the present view, and makes the next one.
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

// look is the one way to the view, which does not change until done is called. A writer waits for that, so a request looks
// once at a time, after it has been read.
func (s *service) look() (v *view, done func()) {
	s.reading.RLock()
	return &s.now, s.reading.RUnlock
}

// reload makes a new state; the caller holds s.one. Requests go on with the old one until then, and after an error.
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

// publish has requests read a view, and logs notes. The caller holds s.writing or is alone.
func (s *service) publish(next view, notes []string) {
	for _, note := range notes {
		s.log.Print(note)
	}
	s.reading.Lock()
	defer s.reading.Unlock()
	s.now = next
}

// reloadAt reloads at every signal until ctx is done, and again at one during a reload, which may have read the files already.
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

var errNotKept = failure{http.StatusNotFound, errors.New("this service keeps nothing: it was started without -dir")}

const outdated = "nothing is predicted: the classifier of -model is for vectors of its model, and -labels learns from those of a new fit"

// keep replays the journal of a folder, and writes all later changes there. Without a fit in the journal it begins with a fit
// of the files, by the model of f if there is one.
func (s *service) keep(ctx context.Context, dir string, setAside bool, d *task.Data, f *task.File) error {
	of, err := hashes(ctx, d)
	if err != nil {
		return err
	}
	b, fitted, changes := newBook(d), "", 0
	j, notes, err := openJournal(dir, of, setAside, func(c batch) error {
		if c.Fitted != "" {
			of, err := b.begin(ctx)
			if err == nil {
				d, fitted, changes = of, c.Fitted, 0
			}
			return err
		}
		if err := b.check(c); err != nil {
			return err
		}
		for id, features := range c.features() {
			if _, _, err := b.cells.row(ctx, features); err != nil {
				return fmt.Errorf("%q: %w", id, err)
			}
		}
		b.take(c)
		changes++
		return nil
	})
	if err != nil {
		return err
	}
	var next *state
	if fitted == "" {
		next, err = newState(ctx, d, f)
	} else if next, err = fitAgain(ctx, d); err == nil && next.model.Hash() != fitted {
		notes = append(notes, "the fit is not to the last digit that of before: another version or machine has made it")
	}
	var v view
	if err == nil {
		var more []string
		v, more, err = follow(ctx, next, b)
		notes = append(notes, more...)
	}
	if err != nil {
		return errors.Join(err, j.close())
	}
	v.changes, s.journal = changes, j
	if f.Predictor != nil && v.learnt == nil {
		notes = append(notes, outdated)
	}
	s.publish(v, append(next.notes, notes...))
	s.refitIfDue()
	return nil
}

// hashes tell the data of a journal from others.
func hashes(ctx context.Context, d *task.Data) (string, error) {
	graph, err := matrix.HashCSR(ctx, inside.Adjacency(d.Graph))
	if err != nil || d.Features == nil {
		return graph + " ", err
	}
	x, err := matrix.Read(ctx, d.Features)
	if err != nil {
		return "", err
	}
	features, err := matrix.Hash(ctx, x)
	return graph + " " + features, err
}

// fitAgain fits a graph that has grown, without its labels if they teach nothing any more, as when all are of one class.
func fitAgain(ctx context.Context, d *task.Data) (*state, error) {
	next, err := newState(ctx, d, &task.File{})
	if !errors.Is(err, learn.ErrSplit) && !errors.Is(err, task.ErrNoLabels) {
		return next, err
	}
	unlearnt := fmt.Sprintf("nothing is predicted: %v", err)
	d.Labels = nil
	if next, err = newState(ctx, d, &task.File{}); err == nil {
		next.notes = append(next.notes, unlearnt)
	}
	return next, err
}

// tell takes a batch. The batch is tried, then written to the disk, then in every answer, and answered last.
func (s *service) tell(ctx context.Context, c batch) (any, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	v := &s.now // which nobody else changes
	if err := v.book.check(c); err != nil {
		return nil, err
	}
	changed, unknown, err := v.try(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := s.journal.append(c); err != nil {
		return nil, failure{http.StatusInternalServerError, err}
	}
	s.reading.Lock()
	v.take(c, changed)
	s.reading.Unlock()
	s.refitIfDue()
	slices.Sort(unknown)
	return map[string]any{"nodes": v.book.nodes(), "unknown": slices.Compact(unknown)}, nil
}

// try makes the newcomers that a batch changes as they will be, and changes nothing.
func (v *view) try(ctx context.Context, c batch) (changed newcomers, unknown []string, err error) {
	if v.book.nodes()+len(c.Nodes) == len(c.RemoveNodes) {
		return nil, nil, errors.New("a graph has a node at least")
	}
	for _, n := range c.Nodes {
		if strings.TrimSpace(n.ID) != n.ID || strings.ContainsFunc(n.ID, unicode.IsControl) || len(n.ID) > longestName {
			return nil, nil, fmt.Errorf("the name %.99q begins or ends with a blank, has a control character, or more than %d bytes", n.ID, longestName)
		}
	}
	changed, unknown = newcomers{}, []string{}
	told, touched, gone := weights{}, map[string]bool{}, map[string]bool{}
	for _, e := range c.joins() {
		w, now := told[e.From][e.To]
		if e.weight() == 0 && !(now && w > 0 || !now && v.joined(e.From, e.To)) {
			return nil, nil, failure{http.StatusNotFound, fmt.Errorf("no edge joins %q and %q", e.From, e.To)}
		}
		told.join(e)
		touched[e.From], touched[e.To] = true, true
	}
	features := c.features()
	for id := range features {
		touched[id] = true
	}
	for _, id := range c.RemoveNodes {
		gone[id] = true
		for other := range v.book.weights[id] {
			touched[other] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(touched)) {
		row, given := features[id]
		_, known := v.row(id)
		if gone[id] || known && !given {
			continue
		}
		who := stranger{row, map[string]float64{}}
		if !known {
			if maps.Copy(who.ends, v.book.weights[id]); !given {
				who.features = v.book.features[id]
			}
			maps.Copy(who.ends, told[id])
			maps.DeleteFunc(who.ends, func(other string, _ float64) bool { return gone[other] })
		}
		unit, odd, err := v.newcomer(ctx, who)
		if err != nil {
			return nil, nil, fmt.Errorf("%q: %w", id, err)
		}
		if unknown = append(unknown, odd...); !known {
			changed[id] = unit
		}
	}
	return changed, unknown, nil
}

// take has a batch, and the newcomers that it changes, in the view.
func (v *view) take(c batch, changed newcomers) {
	v.book.take(c)
	v.changes++
	maps.Copy(v.newcomers, changed)
	if len(c.RemoveNodes) > 0 {
		v.hidden = maps.Clone(v.hidden)
	}
	for _, id := range c.RemoveNodes {
		if _, is := v.newcomers[id]; is {
			delete(v.newcomers, id)
		} else {
			v.hidden[id] = true
		}
	}
}

// refit fits the present graph, beside the requests. The journal has the fit, and after it the changes made meanwhile, before
// requests read the fit.
func (s *service) refit(ctx context.Context, why string) error {
	s.writing.Lock()
	before, tail, taken := s.now.state, s.journal.size, s.now.changes
	all := s.now.book.batches(s.journal.of)
	merged, err := s.now.book.begin(ctx)
	s.writing.Unlock()
	if err != nil {
		return err
	}
	start := time.Now()
	next, err := fitAgain(ctx, merged)
	if err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	v, notes, err := follow(ctx, next, s.now.book)
	if err != nil {
		return err
	}
	if err := s.journal.replace(append(all, batch{Fitted: next.model.Hash()}), tail); err != nil {
		return err
	}
	v.fits, v.changes = s.now.fits+1, s.now.changes-taken
	if before.learnt != nil && v.learnt == nil && merged.Labels == nil {
		notes = append(notes, outdated)
	}
	v.drift, _ = live.PrincipalAngle(before.model.P(), next.model.P()) // 0 of numbers of columns that differ, which have no angle
	s.publish(v, append(next.notes, notes...))
	s.log.Printf("fit by %s: %v, %.1f s; P has turned by %.3f", why, next.Graph.Report(), time.Since(start).Seconds(), v.drift)
	return nil
}

// refitIfDue begins a fit if the share of the graph that -refit names has changed, unless one is under way.
func (s *service) refitIfDue() {
	v := &s.now
	if s.share == 0 || float64(len(v.newcomers)+len(v.hidden)+v.changes) < s.share*float64(v.book.nodes()) || !s.one.TryLock() {
		return
	}
	go func() {
		defer s.one.Unlock()
		s.reload(s.ctx, "share of changes") // which logs its errors
	}()
}
