// Package embedtest checks that an embedder keeps the promises of this module: one
// suite that [coles.Fit], [coles.Eigenmaps] and every training of package gnn pass, and
// that is there for embedders of your own.
//
//	func TestConformance(t *testing.T) {
//		err := embedtest.Test(embedtest.Embedder{
//			Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
//				return mine.Fit(ctx, g, x)
//			},
//		})
//		if err != nil {
//			t.Error(err)
//		}
//	}
//
// # What is checked
//
// The names are those of [Failure.Check].
//
//	fit           a small graph with features is embedded: n rows of finite numbers
//	inputs        graph and features are the same bytes after Fit and Embed
//	repeatable    fitted twice, the embedding is the same bytes
//	processors    and so it is for a GOMAXPROCS of 1, 2, 3 and 8
//	storage       features in a *mat.Dense, a *sparse.CSR, a *coles.Dense32 and a matrix
//	              of a type unknown to everybody give the same embedding
//	permutation   nodes in another order give the same YYᵀ in that order
//	embed         Embed gives for the data fitted the embedding of Fit, to the byte
//	ownership     writing to what Embed returned changes nothing in the model
//	concurrency   goroutines that share a model get the same bytes
//	subset        a whole component has the same rows with the others or without
//	file          a model read from its file writes the same file and embeds the same bytes
//	cancellation  a context that ends before or in the midst of a call ends it in time,
//	              with the context's error, and no goroutine stays
//	no nodes      a nil graph and one of no nodes, and features without rows, are errors
//	one node      one node is embedded, or an error is named
//	no edges      and so is a graph without edges
//	isolated      and so is one in which some nodes have no edge
//	shapes        features with another number of rows, or of columns, are [coles.ErrShape]
//	not finite    a NaN or an infinity among features is [coles.ErrNotFinite]
//	extremes      features as large or small as numbers go, equal or zero: finite numbers
//	              or a named error
//
// A named error is one that wraps an error variable of package coles, is a
// [*coles.ConvergenceError], or wraps one of [Embedder.Errors]. A panic in a call is a
// failure of the check that made it.
package embedtest
