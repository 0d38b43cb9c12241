package nearest

import "slices"

// best is the best matches among those added so far, as many as matches has room for: once full, a
// heap with the worst of them first. Rows come in ascending order.
type best struct{ matches []Match }

func (b *best) full() bool { return len(b.matches) == cap(b.matches) }

// compareMatches puts better scores first, and of equal ones the lower row.
func compareMatches(m, other Match) int {
	switch {
	case m.Score > other.Score:
		return -1
	case m.Score < other.Score:
		return 1
	}
	return m.Row - other.Row
}

// add takes a match of a row above all before; it reports whether there is something new to compare
// with.
func (b *best) add(m Match) bool {
	if b.full() {
		if m.Score <= b.matches[0].Score {
			return false
		}
		b.matches[0] = m
		b.sink(0)
		return true
	}
	b.matches = append(b.matches, m)
	if !b.full() {
		return false
	}
	for i := len(b.matches)/2 - 1; i >= 0; i-- {
		b.sink(i)
	}
	return true
}

// sink moves match i down to where no worse one is below it.
func (b *best) sink(i int) {
	for {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(b.matches); child++ {
			if compareMatches(b.matches[child], b.matches[worst]) > 0 {
				worst = child
			}
		}
		if worst == i {
			return
		}
		b.matches[i], b.matches[worst] = b.matches[worst], b.matches[i]
		i = worst
	}
}

// ranked is the matches, best first.
func (b *best) ranked() []Match {
	slices.SortFunc(b.matches, compareMatches)
	return b.matches
}
