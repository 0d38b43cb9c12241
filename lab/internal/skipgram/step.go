package skipgram

import (
	"context"
	"math"

	"coles/internal/kernel"
	"coles/internal/stream"
)

const (
	// work is about the number of multiplications between two looks at the context, some 100 µs.
	work = 1 << 20
	// ahead is how many pairs lie between the one whose vectors are fetched and the one that is trained.
	ahead = 8
)

// A step is a pair with its negatives: x of node o moves, and y of the targets, the node c first and
// then the negatives.
type step struct {
	o, targets []int32
	rate       float32
}

// trainBucket makes a step for each pair of bucket (i, j), in the order of the walks. Vectors are fetched
// some steps ahead, because the vectors of a large graph are in no cache.
func (m *trainer) trainBucket(ctx context.Context, i, j int, stage uint64) {
	rng := stream.New()
	rng.Reseed(stream.Seed(m.Seed, seedNoise), stage*uint64(m.parts)+uint64(i))
	var steps [ahead]step
	for k := range steps {
		steps[k] = step{o: make([]int32, 1), targets: make([]int32, 1+m.Negatives)}
	}
	slopes := make([]float32, 1+m.Negatives)
	n, every := 0, 1+work/(len(slopes)*m.x.Cols)
	for _, s := range m.shares {
		b := i*m.parts + j
		for _, p := range s.pairs[s.start[b]:s.start[b+1]] {
			if n%every == 0 && ctx.Err() != nil {
				return
			}
			next := &steps[n%ahead]
			if n >= ahead {
				m.step(next, slopes)
			}
			next.o[0], next.targets[0], next.rate = p.x, p.y, s.rate
			for k := range next.targets[1:] {
				next.targets[1+k] = m.noise[j].draw(rng)
			}
			kernel.FetchRows(m.x, next.o)
			kernel.FetchRows(m.y, next.targets)
			n++
		}
	}
	for k := max(0, n-ahead); k < n && ctx.Err() == nil; k++ {
		m.step(&steps[k%ahead], slopes)
	}
}

// step goes up the gradient of a pair. slopes, one for each target, are scratch.
func (m *trainer) step(s *step, slopes []float32) {
	x := m.x.Row(int(s.o[0]))
	kernel.RowDots(slopes, x, m.y, s.targets)
	for k, t := range s.targets {
		slope := -logistic(slopes[k])
		if k == 0 {
			slope++
		} else if t == s.targets[0] {
			slope = 0
		}
		slopes[k] = s.rate * slope
	}
	kernel.RowSteps(slopes, x, m.y, s.targets)
}

const (
	logisticRange = 8
	logisticSteps = 64 // for each unit
)

// logistics are σ(−8 + k/64) up to 8, and one more.
var logistics = func() (table [2*logisticRange*logisticSteps + 2]float32) {
	for k := range table {
		table[k] = float32(1 / (1 + math.Exp(logisticRange-float64(k)/logisticSteps)))
	}
	return table
}()

// logistic is σ(v) within 3e-6, between two numbers of a table; outside ±8 it is σ(±8), within 4e-4.
// What v is once vectors have overflowed does not matter.
func logistic(v float32) float32 {
	if !(v > -logisticRange) {
		return logistics[0]
	}
	at := (min(v, logisticRange) + logisticRange) * logisticSteps
	k := int(at)
	return logistics[k] + (at-float32(k))*(logistics[k+1]-logistics[k])
}
