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
// A graph of n nodes has the adjacency matrix A and features X (n × d). The positive graph W⁺ is A normalised by degrees;
// negative graphs W⁻ are random graphs, normalised alike. An embedding close along the edges of W⁺ and far along the edges of
// the W⁻ maximises Tr(YᵀΔWY) with ΔW = W⁺ − (η′/κ) Σₖ W⁻ₖ. Linear COLES looks for it among linear maps of smoothed features, Y
// = FXPᵀ. F is a polynomial in W, which is A with self loops, normalised. With PPᵀ = I the rows of P are the top d′
// eigenvectors of M = XᵀFᵀ ΔW FX (d × d). The columns of FXPᵀ are weighted by powers of their eigenvalues. Where a node's own
// features predict each other better than its neighbours do, F and ΔW are the identity, and the diagonal of M is halved.
//
// # Symbols
//
//	paper          here                          what
//	A              Graph                         adjacency matrix, n × n
//	X              a mat.Matrix, Preparer        features, n × d
//	W, W⁺, W⁻      Normalize, Positive, Negative normalised graphs, each a SymCSR
//	κ, η′          Settings.Kappa, Eta           how many negatives, and their weight
//	ΔW             Contrast, DeltaW              the contrast, n × n, never dense
//	F, K, α        Filter                        polynomial in W, its degree, its restart
//	M, P, λ, d′    Solve, Projection             small matrix, its top eigenvectors
//	Y (free)       Eigenmaps                     eigenvectors of ΔW itself
//	γ, r           ScalingRule, Scaling          power of λ, mean norm of centred rows
//	s, r (choice)  Alignment                     whether neighbours tell more than features
//	FXPᵀ, scaled   Model.Embed                   the embedding, n × d′
//
// # The way of the data
//
// [Fit] walks from graph and features to a [Model]. The steps of the method are public functions, too:
//
//	NewGraph, FromCSR, FromGonum, KNN → Graph ─┬→ Normalize → Filter.Apply → FX ─┐
//	                                           └→ Contrast → ΔW ─────────────────┴→ Solve → P, λ → ScalingRule.Fit
//
// Only Fit takes logarithms of weights and adds columns of other parts. A matrix comes in as any gonum mat.Matrix, is checked
// once and never written to; results are *mat.Dense. Errors name the fault and its place. Long calls stop within a tenth of a
// second of the end of their context. docs/promises.md lists what stays from version to version.
package coles
