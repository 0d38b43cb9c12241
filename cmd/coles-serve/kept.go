package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"

	"coles"
	"coles/live"
	"coles/task"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A kept graph takes what it is told. Newcomers have vectors by their edges to the nodes of the last fit, and the others
// the vectors of that fit, until the next one.
type kept struct {
	writing sync.Mutex // of book and journal; the disk is waited for under it
	book    *book
	journal *journal
	of      string // the graph of the files

	reading   sync.RWMutex // of what follows, and of the state that it belongs to
	newcomers newcomers
	hidden    map[string]bool
	changes   int
	drift     float64 // of P at the last fit, in radians
	fits      int
}

var errNotKept = failure{http.StatusNotFound, errors.New("this service keeps nothing: it was started without -dir")}

// keep begins to keep what the service is told in a folder, and takes what is there.
func (s *service) keep(ctx context.Context, dir string, first *state) error {
	report := first.model.Report()
	k := &s.kept
	k.book, k.of = newBook(first.Dataset, first.Graph), report.GraphHash+" "+report.FeaturesHash
	var err error
	var cut int
	k.journal, cut, err = openJournal(dir, k.of, func(b batch) error {
		err := k.book.check(b)
		if err == nil {
			k.book.take(b)
		}
		return err
	})
	if err != nil {
		return err
	}
	if cut > 0 {
		s.log.Printf("%s: %d bytes of a change that was not answered are left out", k.journal.path, cut)
	}
	return k.follow(ctx, first, func() { s.now.Store(first) })
}

// tell takes a batch: it is on the disk before it is answered, and then in every answer.
func (s *service) tell(ctx context.Context, c batch) (any, error) {
	k := &s.kept
	k.writing.Lock()
	defer k.writing.Unlock()
	now := s.now.Load()
	unknown := []string{}
	if err := k.book.check(c); err != nil {
		return nil, err
	}
	features := map[string]map[string]any{}
	for _, n := range c.Nodes {
		features[n.ID] = n.Features
	}
	maps.Copy(features, c.Features)
	for id, row := range features {
		_, some, err := now.row(ctx, row)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", id, err)
		}
		unknown = append(unknown, some...)
	}
	if err := k.journal.append(c); err != nil {
		return nil, failure{http.StatusInternalServerError, err}
	}
	k.book.take(c)
	// What is answered is on the disk: from here on nothing may fail because a client leaves.
	if err := k.update(context.WithoutCancel(ctx), now, c); err != nil {
		return nil, failure{http.StatusInternalServerError, err}
	}
	s.refitIfDue()
	slices.Sort(unknown)
	return map[string]any{"nodes": k.book.nodes(), "unknown": slices.Compact(unknown)}, nil
}

// update gives the newcomers that a batch is about their vectors.
func (k *kept) update(ctx context.Context, now *state, c batch) error {
	var ids []string
	for _, n := range c.Nodes {
		ids = append(ids, n.ID)
	}
	for _, e := range c.joins() {
		ids = append(ids, e.From, e.To)
	}
	for id := range c.Features {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	changed, err := k.embedAll(ctx, now, k.hidden, slices.Compact(ids))
	if err != nil {
		return err
	}
	k.change(c, changed)
	_, width := now.rows.Dims()
	next, err := k.newcomers.gathered(ctx, width)
	if err != nil {
		return err
	}
	k.reading.Lock()
	defer k.reading.Unlock()
	k.newcomers = *next
	return nil
}

// change has a batch, and the newcomers that it changes, in what requests read.
func (k *kept) change(c batch, changed []newNode) {
	k.reading.Lock()
	defer k.reading.Unlock()
	k.changes++
	for _, n := range changed {
		k.newcomers.put(n)
	}
	for _, id := range c.RemoveNodes {
		if !k.newcomers.drop(id) {
			k.hidden[id] = true
		}
		for _, n := range k.newcomers.all {
			delete(n.ends, id)
		}
	}
}

// embed makes a newcomer of a node that the last fit has not seen, or has seen with another graph around it.
func (k *kept) embed(ctx context.Context, now *state, hidden map[string]bool, id string) (n newNode, ok bool, err error) {
	features, added := k.book.added[id]
	if _, known := now.Graph.Row(id); !added || known && !hidden[id] {
		return n, false, nil
	}
	n = newNode{id: id, ends: map[string]float64{}}
	var edges []coles.Edge
	var weights []float64
	for _, other := range slices.Sorted(maps.Keys(k.book.weights[id])) {
		w := k.book.weights[id][other]
		if w == 0 {
			continue
		}
		n.ends[other] = w
		if row, ok := now.Graph.Row(other); ok && !hidden[other] {
			edges, weights = append(edges, coles.Edge{U: now.Graph.Nodes(), V: row}), append(weights, w)
		}
	}
	x, _, err := now.row(ctx, features)
	if err != nil {
		return n, false, err
	}
	y, err := now.placer.Embed(ctx, x, edges, weights)
	if errors.Is(err, coles.ErrUnplaced) || err == nil && x == nil && y.IsEmpty() { // nothing is known of it
		return n, true, nil
	}
	if err != nil {
		return n, false, err
	}
	if length := mat.Norm(y, 2); length > now.rounding {
		n.unit = y.RawRowView(0)
		floats.Scale(1/length, n.unit)
	}
	return n, true, nil
}

// embedAll makes newcomers of those of the nodes that are some.
func (k *kept) embedAll(ctx context.Context, now *state, hidden map[string]bool, ids []string) (all []newNode, err error) {
	for _, id := range ids {
		n, ok, err := k.embed(ctx, now, hidden, id)
		if err != nil {
			return nil, err
		}
		if ok {
			all = append(all, n)
		}
	}
	return all, nil
}

// follow makes a state the one that requests read, with the newcomers that it lacks, for who holds k.writing or is alone.
func (k *kept) follow(ctx context.Context, next *state, swap func()) error {
	hidden := map[string]bool{}
	for _, id := range next.ids {
		if !k.book.has(id) || k.book.again[id] {
			hidden[id] = true
		}
	}
	all, err := k.embedAll(ctx, next, hidden, k.book.order)
	if err != nil {
		return err
	}
	fresh := &newcomers{place: map[string]int{}}
	for _, n := range all {
		fresh.put(n)
	}
	_, width := next.rows.Dims()
	if fresh, err = fresh.gathered(ctx, width); err != nil {
		return err
	}
	k.reading.Lock()
	defer k.reading.Unlock()
	k.newcomers, k.hidden, k.changes = *fresh, hidden, k.book.changes
	swap()
	return nil
}

// begin is what a fit begins with: the graph as it is now, and how many changes are in it.
func (k *kept) begin(ctx context.Context, now *state) (d *task.Data, changes int, err error) {
	k.writing.Lock()
	defer k.writing.Unlock()
	d, err = k.book.merged(ctx, now.row)
	k.book.again = map[string]bool{}
	return d, k.book.changes, err
}

// refit fits what is there now, beside the requests, and swaps the new state in with the changes made meanwhile.
func (s *service) refit(ctx context.Context, why string) error {
	k := &s.kept
	before := s.now.Load()
	merged, taken, err := k.begin(ctx, before)
	if err != nil {
		return err
	}
	next, err := newState(ctx, merged, &task.File{})
	if err != nil {
		return err
	}
	drift, err := live.PrincipalAngle(before.model.P(), next.model.P())
	if err != nil {
		drift = 0 // of numbers of columns that differ there is no angle
	}
	k.writing.Lock()
	defer k.writing.Unlock()
	k.book.changes -= taken
	if err := k.follow(ctx, next, func() { s.serveState(next) }); err != nil {
		k.book.changes += taken
		return err
	}
	k.reading.Lock()
	k.drift, k.fits = drift, k.fits+1
	k.reading.Unlock()
	s.log.Printf("fit by %s: %v; P has turned by %.3f", why, next.Graph.Report(), drift)
	return k.journal.replace(k.book.batches(k.of))
}

// refitIfDue begins a fit where as large a share of the graph has changed as -refit says, unless one is under way.
func (s *service) refitIfDue() {
	k := &s.kept
	if s.share == 0 || float64(len(k.newcomers.place)+len(k.hidden)+k.book.changes) < s.share*float64(k.book.nodes()) || !s.one.TryLock() {
		return
	}
	go func() {
		defer s.one.Unlock()
		if err := s.refit(s.ctx, "share of changes"); err != nil {
			s.log.Printf("fit: %v; the last one goes on", err)
		}
	}()
}

// nearest are the nodes of the fit and the newcomers nearest to a newcomer, for who holds k.reading.
func (k *kept) nearest(ctx context.Context, a subject, count int) ([]match, error) {
	found, err := a.now.similar.Index().Vectors(ctx, mat.NewDense(1, len(a.unit), a.unit), min(count+len(k.hidden), len(a.now.ids)))
	if err != nil {
		return nil, err
	}
	return k.newcomers.nearest(ctx, a.unit, a.now.named(found[0], k.hidden), count, a.id)
}
