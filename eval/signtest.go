package eval

import "math/big"

// SignTest is the exact two-sided sign test of two methods on the same splits:
// the chance that, of the splits on which they differ, fair coins would favour
// one of the two by as many or more,
//
//	p = min(1, 2·Σ_{i ≤ min(w,l)} C(w+l, i) / 2^(w+l)),
//
// for w wins and l losses of a over b. Ties are left out; without any other, p
// is 1. It takes O(n²) for n splits, little up to thousands.
//
// Errors: [ErrShape] for different lengths, [ErrEmpty], [ErrNotFinite].
func SignTest(a, b []float64) (float64, error) {
	difference, err := differences(a, b)
	if err != nil {
		return 0, err
	}
	wins, losses, _ := signs(difference)
	return signP(wins, losses), nil
}

// signs counts the differences above, below and at zero.
func signs(difference []float64) (wins, losses, ties int) {
	for _, d := range difference {
		switch {
		case d > 0:
			wins++
		case d < 0:
			losses++
		default:
			ties++
		}
	}
	return wins, losses, ties
}

// signP is in whole numbers up to the last step, and so exact for tails of any size.
func signP(wins, losses int) float64 {
	n, k := int64(wins+losses), int64(min(wins, losses))
	if 2*k+1 >= n {
		return 1 // both tails have the middle
	}
	choose, sum := big.NewInt(1), big.NewInt(1)
	for i := int64(1); i <= k; i++ {
		choose.Mul(choose, big.NewInt(n-i+1))
		choose.Quo(choose, big.NewInt(i))
		sum.Add(sum, choose)
	}
	p := new(big.Float).SetInt(sum)
	share, _ := p.SetMantExp(p, int(1-n)).Float64()
	return share
}
