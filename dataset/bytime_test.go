package dataset

import (
	"testing"

	"coles"
	"coles/internal/testkit"
)

// The edge of nodes 0 and 1 is as old as its second line, and of two at time 5 the later nodes' is held out.
func TestHoldOutLatest(t *testing.T) {
	d := testkit.Must(readWith("a,b,9\nb,a,1\nb,c,5\nc,d,5\na,d,2\n", "", "", EdgeListOptions{}))
	train, latest, err := d.HoldOutLatest(0.25)
	testkit.Check(t, err)
	testkit.WantSame(t, "held out", latest, []coles.Edge{{U: 2, V: 3}})
	testkit.WantSame(t, "kept", train.Report().Edges, 3)
	testkit.WantSame(t, "weights", train.Report().Weighted, false)
	testkit.WantSame(t, "ids", train.IDs(), d.IDs)
	for _, share := range []float64{0, 1} {
		_, _, err := d.HoldOutLatest(share)
		testkit.WantError(t, err, coles.ErrSetting)
	}
	_, _, err = (&Dataset{}).HoldOutLatest(0.5)
	testkit.WantError(t, err, ErrMissing)
	_, _, err = testkit.Must(readWith("a,b,9\n", "", "", EdgeListOptions{})).HoldOutLatest(0.5)
	testkit.WantError(t, err, ErrMissing)
}
