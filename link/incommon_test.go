package link

import (
	"testing"

	"coles"
	"coles/internal/testkit"
)

// Of a star and a path the neighbours in common are those counted by hand, the one of two edges before the hub of four.
func TestInCommon(t *testing.T) {
	g := testkit.Must(coles.NewGraph(6, []coles.Edge{{U: 0, V: 1}, {U: 0, V: 2}, {U: 0, V: 3}, {U: 0, V: 4}, {U: 5, V: 1}, {U: 5, V: 2}}))
	testkit.WantSame(t, "of 1 and 2", InCommon(g, 1, 2, 5), []int32{5, 0})
	testkit.WantSame(t, "of 1 and 2, one at most", InCommon(g, 1, 2, 1), []int32{5})
	testkit.WantSame(t, "of 0 and 1", len(InCommon(g, 0, 1, 5)), 0)
}
