package autodiff

import (
	"fmt"
	"math/rand/v2"

	"coles/internal/kernel"
	"coles/internal/matrix"
)

// HeadDots is the n×K matrix of the inner products of parts of rows, y_ik = a_k·z_i^k. Row i of z, n×K·f, consists of
// the K heads z_i^k of f numbers each; the a_k are the rows of a K×f matrix. g_z of head k of row i = g_ik·a_k, g_a
// of row k = Σ_i g_ik·z_i^k.
func (t *Tape[T]) HeadDots(z, a *Value[T]) *Value[T] {
	heads, width := a.Rows(), a.Cols()
	fit(z.Cols() == heads*width, "HeadDots", z, a)
	y := t.newValue(z.Rows(), heads, z, a)
	t.eachRow(z.Rows(), z.Cols(), func(i int) {
		for k := range heads {
			y.data.Row(i)[k] = T(matrix.Dot(head(z.data, i, k, width), a.data.Row(k)))
		}
	})
	y.back = func() {
		if z.needsGrad {
			dst := t.gradient(z)
			t.eachRow(z.Rows(), z.Cols(), func(i int) {
				for k, c := range y.grad.Row(i) {
					matrix.AddScaled(head(dst, i, k, width), c, a.data.Row(k))
				}
			})
		}
		if a.needsGrad {
			sums := t.columnSumsOf(z.Rows(), z.Cols(), func(sum []float64, i int) {
				for k, c := range y.grad.Row(i) {
					sum := sum[k*width : (k+1)*width]
					for j, v := range head(z.data, i, k, width) {
						sum[j] += float64(c) * float64(v)
					}
				}
			})
			t.addScaled(t.gradient(a), 1, resized(sums, heads, width))
			t.release(&sums)
		}
	}
	return y
}

// head is the k-th part, of width numbers, of row i of m.
func head[T Float](m Matrix[T], i, k, width int) []T {
	return m.Row(i)[k*width : (k+1)*width : (k+1)*width]
}

// Attention is the aggregate of a graph attention layer with K heads (Veličković et al., 2018): for
// node i and head k,
//
//	y_i^k = Σ_j m_ij^k·α_ij^k·z_j^k,  α_ij^k = softmax_j e_ij^k,  e_ij^k = LeakyReLU(target_ik + source_jk)
//
// over the j for which s, n×p, has an entry (i, j), of whatever value. It is 0 for a row without entries. z is p×K·f,
// a row being its K heads side by side. target is n×K and source p×K, such as [Tape.HeadDots] of z. The slope of
// LeakyReLU is in [0, 1]. m is a mask as in [Tape.Dropout]: 0 with probability rate, else 1/(1 − rate), and 1 for a
// nil rnd. For each head let d_ij = α_ij·LeakyReLU′·(m_ij·g_i·z_j − g_i·y_i). Then g_z of row j = Σ_i m_ij·α_ij·g_i,
// g_source of row j = Σ_i d_ij and g_target of row i = Σ_j d_ij. The memory is of the order of y, the cost
// O(entries·K·f) and entries·K exponentials, in either direction.
func (t *Tape[T]) Attention(s *Sparse[T], z, target, source *Value[T], slope, rate float64, rnd *rand.Rand) *Value[T] {
	n, heads := s.matrix.Rows, target.Cols()
	fitSparse("Attention", s, z)
	fit(target.Rows() == n && source.Rows() == z.Rows() && source.Cols() == heads && heads > 0 && z.Cols()%heads == 0,
		"Attention", z, target, source)
	if !(slope >= 0 && slope <= 1) {
		panic(fmt.Sprintf("autodiff: Attention with a slope of %g, outside of [0, 1]", slope))
	}
	y := t.newValue(n, z.Cols(), z, target, source)
	y.kept = t.take(n, z.Cols()+3*heads)
	kept := func(k int) Matrix[T] { return kernel.Columns(y.kept, z.Cols()+k*heads, z.Cols()+(k+1)*heads) }
	a := attention[T]{
		z: z.data, target: target.data, source: source.data, y: y.data,
		negative: kernel.Columns(y.kept, 0, z.Cols()), share: kept(0), most: kept(1), inverse: kept(2),
		width: z.Cols() / heads, slopes: [2]T{T(slope), 1}, mask: newMask("Attention", rate, rnd),
	}
	t.eachHead(s.matrix, heads, a.width, a.forward)
	y.back = func() {
		a.g, a.gTarget, a.gZ, a.gSource = y.grad, t.wanted(target), t.wanted(z), t.wanted(source)
		t.eachHead(s.matrix, heads, a.width, a.backwardTarget)
		for _, part := range s.transposed {
			t.eachHead(part.matrix, heads, a.width, func(j, k int, rows []int32) { a.backwardSource(j, k, rows, part.first) })
		}
	}
	return y
}

// eachHead calls do for every head of every row of s, with the columns of the row's entries.
func (t *Tape[T]) eachHead(s *CSR[T], heads, width int, do func(i, k int, cols []int32)) {
	const exponential = 16 // costs as much as 16 products
	cost := (1 + s.NNZ()/max(1, s.Rows)) * (width + exponential)
	t.eachRow(s.Rows*heads, cost, func(q int) {
		cols, _ := s.Row(q / heads)
		do(q/heads, q%heads, cols)
	})
}

// attention holds the data of both passes of Attention.
type attention[T Float] struct {
	z, target, source, y    Matrix[T]
	g, gZ, gTarget, gSource Matrix[T] // of an input without a gradient: empty
	// The parts of y and of Σ_j α_ij = 1 with scores of at most 0, the largest e_ij, and the inverse
	// of Σ_j exp(e_ij − largest).
	negative, share, most, inverse Matrix[T]
	width                          int
	slopes                         [2]T // of LeakyReLU at most at 0, and above
	mask                           mask
}

// forward computes head k of row i.
func (a *attention[T]) forward(i, k int, cols []int32) {
	parts := [2][]T{head(a.negative, i, k, a.width), head(a.y, i, k, a.width)}
	clear(parts[0])
	clear(parts[1])
	if len(cols) == 0 {
		a.share.Row(i)[k] = 0
		return
	}
	score := a.target.Row(i)[k]
	sources, stride := a.source.Data[k:], a.source.Stride
	most := sources[int(cols[0])*stride]
	for _, j := range cols {
		most = max(most, sources[int(j)*stride])
	}
	most += score
	most *= a.slopes[above(most)]
	var sums [2]float64
	mask := a.mask.of(k)
	for _, j := range cols {
		x := score + sources[int(j)*stride]
		sign := above(x)
		e := exp[T](float64(a.slopes[sign]*x - most))
		sums[sign] += e
		matrix.AddScaled(parts[sign], T(mask.factor(i, int(j))*e), head(a.z, int(j), k, a.width))
	}
	inverse := 1 / (sums[0] + sums[1])
	a.share.Row(i)[k], a.most.Row(i)[k], a.inverse.Row(i)[k] = T(sums[0]*inverse), most, T(inverse)
	multiplyTo(parts[0], T(inverse), parts[0])
	multiplyTo(parts[1], T(inverse), parts[1])
	addTo(parts[1], parts[0])
}

// backwardTarget adds to the gradient of target_ik. Without LeakyReLU′, which is 1 or slope, the
// d_ij would sum to zero: what remains is (slope − 1)·d_ij of the scores of at most 0. It also puts
// g_i·y_i in place of their share.
func (a *attention[T]) backwardTarget(i, k int, _ []int32) {
	g := head(a.g, i, k, a.width)
	product, share := matrix.Dot(g, head(a.y, i, k, a.width)), &a.share.Row(i)[k]
	if a.gTarget.Data != nil {
		a.gTarget.Row(i)[k] += (a.slopes[0] - 1) * T(matrix.Dot(g, head(a.negative, i, k, a.width))-product*float64(*share))
	}
	*share = T(product)
}

// backwardSource adds to the gradients of source_jk and of head k of row j of z, given the rows,
// counted from first on, that have an entry in column j.
func (a *attention[T]) backwardSource(j, k int, rows []int32, first int) {
	score, z := a.source.Row(j)[k], head(a.z, j, k, a.width)
	mask := a.mask.of(k)
	var gZ []T
	if a.gZ.Data != nil {
		gZ = head(a.gZ, j, k, a.width)
	}
	sum := 0.0
	for _, i := range rows {
		i := first + int(i)
		x := a.target.Data[i*a.target.Stride+k] + score
		slope := a.slopes[above(x)]
		kept := i*a.most.Stride + k // most, inverse and share are columns of one matrix
		alpha := exp[T](float64(slope*x-a.most.Data[kept])) * float64(a.inverse.Data[kept])
		m, g := mask.factor(i, j), head(a.g, i, k, a.width)
		if gZ != nil {
			matrix.AddScaled(gZ, T(alpha*m), g)
		}
		sum += float64(slope) * alpha * (m*matrix.Dot(g, z) - float64(a.share.Data[kept]))
	}
	if a.gSource.Data != nil {
		a.gSource.Row(j)[k] += T(sum)
	}
}
