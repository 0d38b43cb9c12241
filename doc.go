// Package coles turns a graph whose nodes have features into one vector per node, by COntrastive
// Laplacian EigenmapS (Zhu, Sun and Koniusz, NeurIPS 2021). It is Go and a little generated
// assembly: no cgo, no GPU, the same bytes for the same seed, and new nodes are embedded without
// fitting again.
//
//	g, err := coles.NewGraph(n, edges)
//	m, err := coles.Fit(ctx, g, x)
//	y := m.Embedding()                  // n × 128
//	z, err := m.Embed(ctx, grown, more) // nodes that came later
//
// # The method
//
// A graph of n nodes has the adjacency matrix A; its nodes have features X (n × d). The positive
// graph is W⁺, A normalised by degrees. Negative graphs W⁻ are random ones, normalised alike. An
// embedding that is close along the edges of W⁺ and far along the edges of the W⁻ maximises Tr(YᵀΔWY)
// with
//
//	ΔW = W⁺ − (η′/κ) Σₖ W⁻ₖ.
//
// Linear COLES looks for it among linear maps of smoothed features, Y = FXPᵀ, where F is a
// polynomial in W, A normalised with self loops. With PPᵀ = I the rows of P are the top d′
// eigenvectors of the small d × d matrix
//
//	M = XᵀFᵀ ΔW FX.
//
// The columns of FXPᵀ are then weighted by powers of their eigenvalues, and one column carries node
// degree, weighted by how well the features predict it. Where a node's own features predict each other
// better than its neighbours do, smoothing would harm: F and ΔW are the identity then, and the diagonal
// of M is halved.
//
// # Symbols
//
//	paper          here                          what
//	A              Graph                         adjacency matrix, n × n
//	X              a mat.Matrix, Preparer        features, n × d
//	W, W⁺, W⁻, L   Normalize, Graph.Positive,    normalised graphs, each a SymCSR
//	               Graph.Negative,
//	               SymCSR.Laplacian
//	κ, η′          Settings.Kappa, Eta           how many negatives, and their weight
//	ΔW             Contrast, DeltaW              the contrast, n × n, never dense
//	F, K, α        Filter                        polynomial in W, its degree, its restart
//	M, P, λ, d′    Solve, Projection             small matrix, its top eigenvectors
//	Y (free)       Eigenmaps                     eigenvectors of ΔW itself
//	γ, r           ScalingRule, Scaling          power of λ, mean norm of centred rows
//	q              Alignment                     how well neighbours predict a node's features
//	s, v, t        Settings.DegreeShare          √degree, its direction among features, and
//	                                             how well these predict it
//	FXPᵀ, scaled   Model.Embed                   the embedding, n × d′
//
// # The way of the data
//
// [Fit] walks from graph and features to a [Model]; every step is also a public function, but for
// the column of degrees:
//
//	NewGraph, FromCSR, FromGonum, KNN → Graph ─┬→ Normalize → Filter.Apply → FX ─┐
//	                                           └→ Contrast → ΔW ─────────────────┴→ Solve → P, λ → ScalingRule.Fit
//
// Package live follows a graph that grows and keeps M up to date, or embeds newcomers one by one.
//
// Matrices come in as *sparse.CSR (github.com/james-bowman/sparse) or any gonum mat.Matrix, are
// checked once, and are never written to; they go out as
// *mat.Dense. Errors wrap the named ones of this package and name the fault and
// its place. Long calls take a context and stop within a tenth of a second of its end.
//
// # What stays, and what may change
//
//   - Model files stay readable: a version of this module reads the files of [Model.WriteTo]
//     and of package gnn that any version before it wrote, and embeds with
//     them as that version did, to rounding. Files of versions to come are refused with
//     [ErrFormat]. Checkpoints of a training stay readable, too, but go on to the byte
//     only in the version that wrote them.
//   - Settings in JSON stay readable. New ones may be added, and a file that holds all settings of
//     an earlier version means what it did; what a file leaves out follows the default, old or new.
//     [Settings.UnmarshalJSON] refuses unknown names.
//   - The bytes of an embedding are the same for the same input, settings and version on one
//     set of vector instructions. A new version may change them by rounding, and, where
//     the list of changes states it, by a better default. [Report] keeps the settings and
//     version of a result.
//   - Names that this package exports stay from v1.0 on; before, the list of changes names
//     what moved. Texts of errors and reports are for people and may change at any time:
//     test with errors.Is.
package coles
