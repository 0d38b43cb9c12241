package autodiff

import (
	"math"
	"math/rand/v2"
	"testing"
)

// attended is z, with two heads, target and source. The pattern has two rows more than columns, and
// more columns than its rows have entries: with one entry in each, the weights would not depend on
// the scores.
func attended(n, d int) [][2]int { return [][2]int{{n + 3, 2 * d}, {n + 5, 2}, {n + 3, 2}} }

// headed is z and a vector for each of two heads.
func headed(n, d int) [][2]int { return [][2]int{{n + 3, 2 * d}, {2, d}} }

const attentionSlope = 0.3

func attentionOf[T Float](name string, rate float64, rnd func() *rand.Rand) operation[T] {
	return operation[T]{
		name: name, sizes: attended,
		apply: func(t *Tape[T], in []*Value[T]) *Value[T] {
			return t.Attention(pattern[T](in[1].Rows(), in[0].Rows()), in[0], in[1], in[2], attentionSlope, rate, rnd())
		},
		want: func(in []matrix64) matrix64 {
			s := sparseOf(in[1].Rows, in[0].Rows)
			return attentionByHand(s, in[0], in[1], in[2], newMask("", rate, rnd()))
		},
	}
}

// attentionByHand takes the mask from the operation: how often it drops is tested by
// TestDropsAreIndependent.
func attentionByHand(s *CSR[float64], z, target, source matrix64, m mask) matrix64 {
	width := z.Cols / target.Cols
	return build(s.Rows, z.Cols, func(i, c int) float64 {
		k := c / width
		cols, _ := s.Row(i)
		weight := func(q int) float64 {
			e := at(target, i, k) + at(source, int(cols[q]), k)
			return math.Exp(math.Max(e, 0) + attentionSlope*math.Min(e, 0))
		}
		all := sumOver(len(cols), weight)
		return sumOver(len(cols), func(q int) float64 {
			return m.of(k).factor(i, int(cols[q])) * weight(q) / all * at(z, int(cols[q]), c)
		})
	})
}

func headDotsByHand(z, a matrix64) matrix64 {
	return build(z.Rows, a.Rows, func(i, k int) float64 { return dotByHand(head(z, i, k, a.Cols), a.Row(k)) })
}

// neighbourOperations are the operations on the neighbours in a graph.
func neighbourOperations[T Float]() []operation[T] {
	const more = slabRows + 90
	generator := func() *rand.Rand { return rand.New(rand.NewPCG(7, 8)) }
	evaluation := func() *rand.Rand { return nil }
	return []operation[T]{
		binary("HeadDots", headed, (*Tape[T]).HeadDots, headDotsByHand),
		attentionOf[T]("Attention", 0.4, evaluation),
		attentionOf[T]("Attention with dropout", 0.4, generator),
		binary("Attention, of a transpose in slabs", headed, func(t *Tape[T], z, a *Value[T]) *Value[T] {
			source := t.HeadDots(z, a)
			target := t.Gather(source, picks(z.Rows()+more, z.Rows(), 1))
			return t.Attention(pattern[T](target.Rows(), z.Rows()), z, target, source, attentionSlope, 0, nil)
		}, func(z, a matrix64) matrix64 {
			rows, source := picks(z.Rows+more, z.Rows, 1), headDotsByHand(z, a)
			target := build(len(rows), a.Rows, func(i, k int) float64 { return at(source, rows[i], k) })
			return attentionByHand(sparseOf(len(rows), z.Rows), z, target, source, mask{kept: 1})
		}),
	}
}

// hub has a row of three entries, one of one entry and one without; nobody has column 3.
var hub = NewSparse(&CSR[float64]{Rows: 3, Cols: 4, Ptr: []int64{0, 3, 4, 4}, Col: []int32{0, 1, 2, 1}, Val: []float64{1, 1, 1, 1}}, false)

func attendHub(t *Tape[float64], in []*Value[float64]) *Value[float64] {
	return t.Attention(hub, in[0], in[1], in[2], 0.5, 0, nil)
}

func columnOf(v ...float64) matrix64 { return build(len(v), 1, func(i, _ int) float64 { return v[i] }) }

func TestAttentionOfFewEntries(t *testing.T) {
	ln2 := math.Ln2
	// Weights ¼, ¼ and ½ in row 0, the scores being 0, 0 and log 2: y = ¼ + 2/4 + 3/2.
	y, grads := gradientOf(t, attendHub, columnOf(1, 2, 3, 7), columnOf(0, -5, 5), columnOf(0, 0, ln2, 9))
	checkClose(t, "result", y.Data, []float64{2.25, 2, 0})
	checkClose(t, "gradient of z", grads[0].Data, []float64{0.25, 1.25, 0.5, 0})
	// d of row 0 = α·LeakyReLU′·(z − y), the slope for scores of at most 0; d of row 1, with
	// one entry, is 0.
	checkClose(t, "gradient of target", grads[1].Data, []float64{0.5*0.25*(-1.25-0.25) + 0.5*0.75, 0, 0})
	checkClose(t, "gradient of source", grads[2].Data, []float64{0.5 * 0.25 * -1.25, 0.5 * 0.25 * -0.25, 0.5 * 0.75, 0})
}

func TestAttentionToScoresFarFromZero(t *testing.T) {
	const far = 1e4
	y, grads := gradientOf(t, attendHub, columnOf(1, 2, 3, 7), columnOf(far, -far, 0), columnOf(-far, far, -3*far, 0))
	checkClose(t, "result", y.Data, []float64{2, 2, 0})
	checkClose(t, "gradient of z", grads[0].Data, []float64{0, 2, 0, 0})
	for k, g := range grads[1:] {
		checkClose(t, "gradient of scores", g.Data, make([]float64, 3+k))
	}
	y, _ = gradientOf(t, attendHub, columnOf(1, 2, 3, 7), columnOf(0, 0, 0), columnOf(math.NaN(), 0, 0, 0))
	if !math.IsNaN(y.Data[0]) || y.Data[1] != 2 {
		t.Errorf("the results are %g where the first weight is NaN", y.Data)
	}
}
