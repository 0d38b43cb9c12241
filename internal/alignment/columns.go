package alignment

import "math"

const (
	// Least is the number of features from which two halves can predict each other.
	Least = 40
	// First is the first number of random columns: half as many do not suffice to estimate the deviation.
	First = 32
	// Enough is the q from which the graph is used. Every threshold from 0.75 to 0.86 decides alike on
	// the 31 graphs on which it was set, from the accuracies of both models. It is below 1
	// because filtered features also carry what no half of the columns shows: who the neighbours are.
	Enough = 0.8
	// certain is how many deviations from Enough end the measurement. To end it by 2.5 made no error on
	// thirteen graphs in 200 seeds each, either.
	certain = 3
	// likely is how many of them suffice when there are no more columns.
	likely = 2
	// Structured is the number of deviations from which a graph has communities: coles.Alignment documents
	// its choice.
	Structured = 3.0
	// handful is the number of nodes below which hardly any graph comes to that.
	handful = 30
)

// Most bounds the number of random columns, on n nodes. Graphs of a few hundred nodes need 512 for a
// decision near the threshold, and can afford them.
func Most(n int) int { return min(max(128, 1<<20/n), 512) }

// Unmeasured estimates q of d features on a graph where that takes no random columns.
func Unmeasured(edges, d int) (e Estimate, ok bool) {
	if edges == 0 {
		return Estimate{Known: true}, true
	}
	return Estimate{}, d < Least
}

// Next is the next number of random columns on n nodes, 0 where the present ones suffice.
func (e Estimate) Next(n int) int {
	if next := max(First, 2*e.Columns); next <= Most(n) && !(e.Known && e.away(certain)) {
		return next
	}
	return 0
}

// Open reports whether q does not decide: where it is not known, and from Enough to 1, which filtered
// features reach in any graph of many edges, as they have a node's own in them.
func (e Estimate) Open() bool { return !e.Known || e.Ratio >= Enough && e.Ratio < 1 }

// away reports whether q is more than the given number of deviations away from Enough.
func (e Estimate) away(deviations float64) bool {
	return e.Ratio > 0 && math.Abs(math.Log(e.Ratio/Enough)) > deviations*e.Deviation
}

// Unit is the magnitude of the signs for features up to a magnitude: a power of two, as the estimate
// has fourth powers.
func Unit(largest float64) float64 {
	_, exponent := math.Frexp(largest)
	return math.Ldexp(1, -exponent)
}
