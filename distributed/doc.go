// Package distributed fits linear COLES to graphs that one machine does not hold, as a pipeline of
// Apache Beam: on its local engine, Dataflow, Flink or Spark. For a graph that a machine holds,
// [coles.Fit] takes a fraction of the time; [Estimate] computes the cost of both.
// [Run] does a whole job, from shards to shards.
//
// # The way of the data
//
// Nodes are cut into blocks of consecutive numbers, and A into tiles, one for each two blocks. One
// element of the pipeline is a block of rows, a tile, or a message from block to block; never a node
// or an edge.
//
//	features → blocks → statistics → preparation ─┐
//	edges ───→ tiles, degrees ────────────────────┴→ state ─→ K+1 hops → FX and W⁺·FX
//	                                                   └─→ q: is the graph used?
//	FX, W⁺·FX → M = (FX)ᵀΔW(FX) by sums of blocks → P, λ → FXPᵀ → γ, norm → embedding, model
//
// In a hop every block sends its neighbours their share of W·H, scaled by 1/√degree, and adds up the messages that it gets. A
// tile lives with the block that has more rows in it, and serves A·x and Aᵀ·x. This block sends a sum for each row of the
// other one in the tile, and the other one sends these rows. Tiles and features travel along, so that a hop is a function from
// a collection to a collection, and a job may be cut between any two hops.
//
// Sums of floating-point numbers are taken in the order of the blocks: the bytes of the result depend
// on input, settings, [Grid] and kernel alone, whatever the engine does.
//
// # What there is
//
// Every [coles.Preparation] and [coles.Filter]; expected negatives or none; [coles.SolverDirect], up to [MostColumns]
// features; the choice between graph and features. All else is an error before any work, but weights are
// taken as they are. The numbers equal [coles.Fit]'s to rounding: to 10⁻⁹ of λ₁ and of a row with messages in
// float64, to 10⁻⁶ in float32.
//
// Errors wrap the named errors of package coles. A pipeline hands on only the text of an error: [Run] gives errors of bad data
// their names back.
package distributed
