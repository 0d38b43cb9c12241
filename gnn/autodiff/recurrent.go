package autodiff

import (
	"slices"

	"coles/internal/kernel"
)

// LSTM is, for each of n sequences of rows of an m×d matrix x, the state in which a long short-term
// memory ends that reads them (Hochreiter and Schmidhuber, 1997; Gers, Schmidhuber and Cummins, 2000):
// n×k, from h = c = 0 and for a row x_j after the other
//
//	[i f u o] = x_j·θ + h·φ + 1·b,  c ← σ(f)∘c + σ(i)∘tanh(u),  h ← σ(o)∘tanh(c),
//
// with a d×4k θ, a k×4k φ and a 1×4k b. An empty sequence ends in 0. x may be a SparseConstant. Let δ be the gradient
// of [i f u o] in a step, and Δ_j the sum of δ over the steps that read x_j. Then g_b = Σ δ, g_φ = Σ hᵀ·δ, g_θ = xᵀ·Δ
// and g_x = Δ·θᵀ. The memory is 4·m·k numbers, and 6·k for each step of each sequence and for its start; without a
// gradient, 6·k for each sequence. The cost is O(m·d·k + steps·k²), and 5·k exponentials a step.
func (t *Tape[T]) LSTM(x, theta, phi, b *Value[T], sequences [][]int) *Value[T] {
	k := phi.Rows()
	fit(theta.Cols() == 4*k && phi.Cols() == 4*k && b.Rows() == 1 && b.Cols() == 4*k, "LSTM", x, theta, phi, b)
	z := t.product(x, theta, true)
	y := t.newValue(len(sequences), k, z, phi, b)
	order, read := make([]int, len(sequences)), 0
	for i, rows := range sequences {
		fitIndices("LSTM", rows, x.Rows())
		order[i], read = i, read+len(rows)
	}
	// The longest first: those that go on with a step are the first ones of the step before.
	slices.SortStableFunc(order, func(i, j int) int { return len(sequences[j]) - len(sequences[i]) })
	if !y.needsGrad {
		read = 0 // a step takes the place of the one before
	}
	y.kept = t.take(len(order)+read, 6*k) // rows of i, f, u, o, c and h
	steps := []Matrix[T]{kernel.Rows(y.kept, 0, len(order))}
	t.zero(steps[0])
	for s, first := 0, 0; ; s++ {
		before := steps[s]
		m := before.Rows
		for m > 0 && len(sequences[order[m-1]]) == s {
			m--
		}
		if m == 0 {
			break
		}
		if y.needsGrad {
			first += before.Rows
		}
		now := kernel.Rows(y.kept, first, first+m)
		t.eachRow(m, 4*k, func(r int) {
			to := now.Row(r)[:4*k]
			copy(to, z.data.Row(sequences[order[r]][s]))
			addTo(to, b.data.Row(0))
		})
		t.gemm(false, false, 1, kernel.View(before, 0, 5*k, m, k), phi.data, 1, kernel.Columns(now, 0, 4*k))
		t.eachRow(m, 6*k, func(r int) { remember(now.Row(r), before.Row(r)[4*k:5*k]) })
		steps = append(steps, now)
	}
	t.eachRow(len(order), k, func(r int) {
		i := order[r]
		copy(y.data.Row(i), steps[len(sequences[i])].Row(r)[5*k:])
	})
	y.back = func() {
		gH, gC, gZ := t.take(len(order), k), t.take(len(order), k), t.wanted(z)
		defer t.release(&gH)
		defer t.release(&gC)
		t.zero(gC)
		t.eachRow(len(order), k, func(r int) { copy(gH.Row(r), y.grad.Row(order[r])) })
		for s := len(steps) - 1; s > 0; s-- {
			m, now, before := steps[s].Rows, steps[s], steps[s-1]
			t.eachRow(m, 6*k, func(r int) { remind(now.Row(r), before.Row(r)[4*k:5*k], gH.Row(r), gC.Row(r)) })
			delta := kernel.Columns(now, 0, 4*k)
			t.addProduct(phi, true, false, 1, kernel.View(before, 0, 5*k, m, k), delta)
			t.gemm(false, true, 1, delta, phi.data, 0, kernel.Rows(gH, 0, m))
			if gZ.Data != nil {
				t.scatter(m, 4*k, func(r, lo, hi int) {
					addTo(gZ.Row(sequences[order[r]][s-1])[lo:hi], delta.Row(r)[lo:hi])
				})
			}
		}
		t.addColumnSums(b, kernel.View(y.kept, len(order), 0, read, 4*k))
	}
	return y
}

// remember makes of what goes into the gates of a row these, and its c and h, given the c before.
func remember[T Float](row, before []T) {
	k := len(before)
	for j, c := range before {
		i, f, o := gate[T](row[j]), gate[T](row[k+j]), gate[T](row[3*k+j])
		u := tanh[T](float64(row[2*k+j]))
		memory := f*float64(c) + i*u
		row[j], row[k+j], row[2*k+j], row[3*k+j] = T(i), T(f), T(u), T(o)
		row[4*k+j], row[5*k+j] = T(memory), T(o*tanh[T](memory))
	}
}

// remind turns the gates of a row into the gradients of their inputs, and the gradient of c into the one before.
func remind[T Float](row, before, gH, gC []T) {
	k := len(before)
	for j, c := range before {
		i, f, u, o := float64(row[j]), float64(row[k+j]), float64(row[2*k+j]), float64(row[3*k+j])
		out, g := tanh[T](float64(row[4*k+j])), float64(gH[j])
		gMemory := float64(gC[j]) + g*o*(1-out*out)
		row[j], row[k+j] = T(gMemory*u*i*(1-i)), T(gMemory*float64(c)*f*(1-f))
		row[2*k+j], row[3*k+j] = T(gMemory*i*(1-u*u)), T(g*out*o*(1-o))
		gC[j] = T(gMemory * f)
	}
}
