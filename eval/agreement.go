package eval

import "math"

// NMI is the normalised mutual information of two labellings, 0 to 1,
//
//	I(A; B) / ((H(A) + H(B))/2),
//
// the arithmetic normalisation, scikit-learn's default since 0.22. It is 1 if
// they are equal up to names, two labellings of a single class included, and 0 if
// they are independent. It takes O(n log n) time.
//
// Errors: [ErrShape] if the lengths differ, [ErrEmpty] if they are zero.
func NMI(a, b []int) (float64, error) {
	t, err := newContingency(a, b)
	if err != nil {
		return 0, err
	}
	if len(t.rows) == 1 && len(t.cols) == 1 {
		return 1, nil
	}
	n, information := float64(t.n), 0.0
	for _, e := range t.cells {
		p := float64(e.count)
		information += p / n * (math.Log(p/float64(t.rowTotal[e.row])) + math.Log(n/float64(t.colTotal[e.col])))
	}
	normaliser := (entropyOf(t.rowTotal, n) + entropyOf(t.colTotal, n)) / 2
	return min(1, max(0, information/normaliser)), nil // but for rounding
}

// entropyOf is that of shares counts/n, in nats.
func entropyOf(counts []int, n float64) float64 {
	sum := 0.0
	for _, c := range counts {
		p := float64(c) / n
		sum -= p * math.Log(p)
	}
	return sum
}

// ARI is the Rand index adjusted for chance (Hubert and Arabie 1985) of two
// labellings: with a pair of things either together or apart in each,
//
//	2(TP·TN − FN·FP) / ((TP + FN)(FN + TN) + (TP + FP)(FP + TN)).
//
// It is 1 if they are equal up to names, 0 in the mean over random ones, and at
// least −½. It takes O(n log n) time.
//
// Errors: [ErrShape] if the lengths differ, [ErrEmpty] if they are zero.
func ARI(a, b []int) (float64, error) {
	t, err := newContingency(a, b)
	if err != nil {
		return 0, err
	}
	both := 0.0
	for _, e := range t.cells {
		both += float64(e.count) * float64(e.count)
	}
	// Ordered pairs; whole numbers below 2⁵³ for up to 9·10⁷ things.
	n := float64(t.n)
	tp := both - n
	fn, fp := sumSquares(t.rowTotal)-both, sumSquares(t.colTotal)-both
	tn := n*n - both - fn - fp
	if fn == 0 && fp == 0 {
		return 1, nil
	}
	return 2 * (tp*tn - fn*fp) / ((tp+fn)*(fn+tn) + (tp+fp)*(fp+tn)), nil
}

func sumSquares(counts []int) float64 {
	sum := 0.0
	for _, c := range counts {
		sum += float64(c) * float64(c)
	}
	return sum
}
