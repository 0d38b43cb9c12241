package stream

import "slices"

// An Alias draws numbers in proportion to weights in O(1) a draw, by the alias method of Walker
// (1977) as Vose (1991) builds it.
type Alias struct {
	keep  []float64 // probability to stay at the slot drawn
	other []int32   // where to go else
}

// NewAlias takes weights from 0 up, which it does not keep, and returns nil where none of them is
// positive. The cost is O(n).
func NewAlias(weights []float64) *Alias {
	n, total := len(weights), 0.0
	for _, w := range weights {
		total += w
	}
	if total == 0 {
		return nil
	}
	t := &Alias{make([]float64, n), make([]int32, n)}
	var small, large []int32
	for i, w := range weights {
		t.keep[i] = w * (float64(n) / total)
		t.other[i] = int32(i)
		if t.keep[i] < 1 {
			small = append(small, int32(i))
		} else {
			large = append(large, int32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		t.other[s] = l
		t.keep[l] -= 1 - t.keep[s]
		if t.keep[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	// What remains is 1 but for rounding. A weight of zero never remains in large, and in small
	// only where large ran out: it is sent to the heaviest.
	heaviest := slices.Index(weights, slices.Max(weights))
	for _, l := range large {
		t.keep[l] = 1
	}
	for _, s := range small {
		if weights[s] > 0 {
			t.keep[s] = 1
		} else {
			t.keep[s], t.other[s] = 0, int32(heaviest)
		}
	}
	return t
}

// Draw draws a number.
func (t *Alias) Draw(rng Stream) int {
	i := rng.IntN(len(t.keep))
	if rng.Float64() < t.keep[i] {
		return i
	}
	return int(t.other[i])
}

// A List draws from a few numbers by their cumulative weights.
type List struct {
	numbers []int
	upTo    []float64
}

// Add takes in a number of a positive weight.
func (l *List) Add(number int, weight float64) {
	if len(l.upTo) > 0 {
		weight += l.upTo[len(l.upTo)-1]
	}
	l.numbers, l.upTo = append(l.numbers, number), append(l.upTo, weight)
}

// Draw returns −1 when the list is empty.
func (l *List) Draw(rng Stream) int {
	if len(l.numbers) == 0 {
		return -1
	}
	x := rng.Float64() * l.upTo[len(l.upTo)-1]
	at, found := slices.BinarySearch(l.upTo, x)
	if found { // the first that is above x
		at++
	}
	return l.numbers[min(at, len(l.numbers)-1)]
}
