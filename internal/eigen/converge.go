package eigen

import (
	"context"
	"math"

	"coles/internal/kernel"
)

// all is the result of run.
func (s *search[T]) all(ctx context.Context) (*Result, error) {
	r, v, err := s.run(ctx)
	if err != nil {
		return nil, err
	}
	return s.result(ctx, r, v)
}

// run searches until the k leading pairs have converged and, where copies of an eigenvalue may be missing, a search for others
// finds none. That search begins with half a block, as there is seldom anything to find. A find suggests that an eigenvalue
// has many copies. The next search then has a larger block, as long as there is room for some steps with it.
func (s *search[T]) run(ctx context.Context) (r ritz, v panel, err error) {
	if s.size == 0 {
		if err := s.begin(ctx, s.o.Block); err != nil {
			return r, v, err
		}
	}
	most := max(s.o.Block, (s.q.Cols-s.k)/8)
	for block := max(1, s.o.Block/2); ; block = min(2*block, most) {
		if r, v, err = s.settle(ctx); err != nil {
			return r, v, err
		}
		missed := false
		if s.crowded(r) {
			if missed, err = s.missed(ctx, r, block); err != nil {
				return r, v, err
			}
		}
		if !missed {
			return r, v, nil
		}
	}
}

// settle searches until the k leading pairs, with the vectors v, are accurate enough.
func (s *search[T]) settle(ctx context.Context) (r ritz, v panel, err error) {
	for enough := false; !enough; {
		if r, err = s.converge(ctx); err != nil {
			return r, v, err
		}
		if v, err = s.vectors(ctx, r, s.k); err != nil || s.enough == nil {
			return r, v, err
		}
		if enough, err = s.enough(ctx, v); err != nil {
			return r, v, err
		}
	}
	return r, v, nil
}

// crowded reports whether copies of an eigenvalue above the k-th may be missing: whether half a
// block of values, or more, are equal up to their errors. The share that b random vectors have of c
// copies is a random c × b matrix. With c ≤ b/2 it is well conditioned, its smallest singular value
// near √b − √c (Edelman, 1988), so that all copies converge together; with c near b one of them may
// be nearly absent, and of more than b some are.
func (s *search[T]) crowded(r ritz) bool {
	above, apart := s.above(r), 2*s.o.Tol*r.norm
	many := (s.o.Block + 1) / 2
	for i := 0; i+many <= s.k && r.values[i+many-1] > above; i++ {
		if r.values[i]-r.values[i+many-1] <= apart {
			return true
		}
	}
	return false
}

// above is the value that missing pairs are worth looking for from: nearer ones are as good as the
// k-th.
func (s *search[T]) above(r ritz) float64 { return r.values[s.k-1] + 10*s.o.Tol*r.norm }

// converge grows the basis until the k leading pairs are within the tolerance, restarting when
// there is no more room. All of them are looked at where one of the last to converge has.
func (s *search[T]) converge(ctx context.Context) (ritz, error) {
	target := max(2*s.k, s.size)
	restarts, before := 0, look{}
	for {
		for s.size < target && !s.full() {
			if err := s.step(ctx); err != nil {
				return ritz{}, err
			}
		}
		count := s.k
		if !s.open && !s.full() {
			if now := s.peek(ctx, before); now.worst > s.o.Tol {
				s.tell(now.worst)
				target = s.size + now.growth(before, s.o.Tol)
				before = now
				continue
			}
		} else {
			// Beyond the wanted vectors a restart keeps some that are on their way; two steps must fit
			// in behind them.
			count = max(s.k, min(s.k+max(s.o.Block, (s.size-s.k)/3), s.q.Cols-3*s.next))
		}
		r, err := s.rayleighRitz(ctx, 0, count)
		if err != nil {
			return r, err
		}
		done := min(s.k, r.converged(s.o.Tol))
		s.tell(r.worst(s.k))
		if done == s.k {
			return r, nil
		}
		now := look{s.size, r.worst(s.k), r.values[s.k-1], r.norm}
		target = s.size + now.growth(before, s.o.Tol)
		before = now
		if s.full() {
			if restarts == s.o.MaxRestarts {
				return r, s.gaveUp(ctx, r, done)
			}
			restarts++
			if err := s.restart(ctx, 0, r, len(r.values)); err != nil {
				return r, err
			}
			target = (s.size + s.q.Cols) / 2
		}
	}
}

// tell reports progress, by the largest residual of a wanted pair.
func (s *search[T]) tell(worst float64) {
	if s.o.Progress == nil {
		return
	}
	done := s.k
	if worst > s.o.Tol {
		done = max(0, min(s.k-1, int(float64(s.k)*math.Log(worst)/math.Log(s.o.Tol))))
	}
	s.o.Progress(done, s.k)
}

// look holds, for one size of the basis, the largest residual of a wanted pair, relative to the
// norm, the k-th value, and the norm.
type look struct {
	size        int
	worst       float64
	value, norm float64
}

// growth is by how much the basis should grow until the next look: half the way to where the
// residuals are within the tolerance if they go on falling as they did since the look before, since
// they fall faster and faster.
func (l look) growth(before look, tol float64) int {
	if l.size <= before.size || !(l.worst < before.worst) {
		return 1 + l.size/16
	}
	rate := math.Log(before.worst/l.worst) / float64(l.size-before.size)
	return 1 + int(min(math.Log(l.worst/tol)/rate/2, float64(l.size)/4))
}

// gaveUp is the error of a search that ran out of restarts.
func (s *search[T]) gaveUp(ctx context.Context, r ritz, done int) error {
	if done == 0 {
		none := &Result{Vectors: kernel.Dense[float64](0, s.n)}
		return &ConvergenceError{Wanted: s.k, Residual: r.worst(s.k), Result: none}
	}
	v, err := s.vectors(ctx, r, done)
	if err != nil {
		return err
	}
	result, err := s.result(ctx, r, v)
	if err != nil {
		return err
	}
	return &ConvergenceError{Converged: done, Wanted: s.k, Residual: r.worst(s.k), Result: result}
}

// missed searches from a random block orthogonal to what r has found, for anything above its k-th
// value. Whether there is something is known as soon as a Ritz value of the new part lies above; it
// is then left to converge, in the new part alone, where looks are cheap. That there is nothing is
// known when the largest value has settled and stays below.
func (s *search[T]) missed(ctx context.Context, r ritz, block int) (bool, error) {
	// Ritz vectors that have not converged would lose their residuals with the block that is
	// dropped here.
	known := min(r.converged(s.o.Tol), s.q.Cols-3*block)
	if err := s.restart(ctx, 0, r, known); err != nil {
		return false, err
	}
	s.open = true
	if err := s.begin(ctx, block); err != nil {
		return false, err
	}
	above := s.above(r)
	const (
		// A random block has its share of every eigenvector, and the largest value settles, to this
		// part of the width of the spectrum, on the largest there is.
		settled = 0.005

		// After so many fillings of the basis it has stopped rising.
		enough = 8
	)
	for fillings := 0; ; {
		grown := s.size - known
		for first := true; first || !s.full() && (s.size-known)*20 < grown*23; first = false {
			if err := s.step(ctx); err != nil {
				return false, err
			}
		}
		keep := max(1, (s.size-known)/2)
		rest, err := s.rayleighRitz(ctx, known, keep)
		if err != nil {
			return false, err
		}
		top, residual := rest.values[0], rest.residuals[0]
		found := 0
		for found < len(rest.values) && rest.values[found] > above {
			found++
		}
		done := residual <= max(settled*(top-rest.least), s.o.Tol*r.norm) && top+residual <= above
		rest.norm = r.norm
		if found > 0 {
			done = rest.converged(s.o.Tol) >= found
		}
		if s.full() && !done {
			fillings++
			done = fillings == enough
		}
		if done {
			return found > 0, nil
		}
		if s.full() {
			keep = min(keep, s.q.Cols-known-2*s.next)
			if err := s.restart(ctx, known, rest, keep); err != nil {
				return false, err
			}
		}
	}
}

// vectors are the first count Ritz vectors of r, orthonormal.
func (s *search[T]) vectors(ctx context.Context, r ritz, count int) (panel, error) {
	v := kernel.Unset[float64](s.n, count)
	u, release, err := narrow[T](ctx, kernel.Columns(r.vectors, 0, count))
	if err != nil {
		return v, err
	}
	defer release()
	if err := kernel.Gemm(ctx, false, false, 1, s.basis(), u, 0, v); err != nil {
		return v, err
	}
	return v, polish(ctx, v)
}

// result is the leading pairs of r with the vectors v.
func (s *search[T]) result(ctx context.Context, r ritz, v panel) (*Result, error) {
	values, residuals := make([]float64, v.Cols), make([]float64, v.Cols)
	for i := range values {
		values[i], residuals[i] = math.Ldexp(r.values[i], s.scale), math.Ldexp(r.residuals[i], s.scale)
	}
	result, err := measured(ctx, values, v, math.Ldexp(r.norm, s.scale), s.apply, s.o)
	if err != nil {
		return nil, err
	}
	result.Next, result.Residuals = math.Ldexp(s.after(r, v.Cols), s.scale), residuals
	result.Applied += s.applied
	return result, nil
}

// after is the value after the first count. It is the last of these if more than half a block of them are equal
// up to their errors: copies may then be missing that no search looked for (see crowded and above).
func (s *search[T]) after(r ritz, count int) float64 {
	many := s.o.Block/2 + 1
	switch {
	case many <= count && r.values[count-many]-r.values[count-1] <= 2*s.o.Tol*r.norm:
		return r.values[count-1]
	case count < len(r.values):
		return r.values[count]
	}
	return r.next
}
