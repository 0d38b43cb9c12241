// Package eigen finds the k algebraically largest eigenpairs of a symmetric matrix, with
// orthonormal eigenvectors.
//
// [Direct] takes the matrix itself and is exact to rounding: Householder reduction to a tridiagonal
// matrix, bisection, twisted factors or inverse iteration, and the reflections applied back.
// [DirectSingle] does the reduction and the way back in float32, with a measured residual.
// [Krylov] takes only the product with a block of vectors: a block Lanczos iteration with full
// orthogonalisation and thick restarts, which also searches for the copies of a multiple eigenvalue
// that such an iteration overlooks.
//
// Both give the same bytes for every GOMAXPROCS, return within 100 ms of the end of their context,
// and choose the sign of each eigenvector as [FixSigns] says.
//
// Sources: Golub and Van Loan, Matrix Computations, 4th ed., sections 8.3 (tridiagonal reduction),
// 8.4 (bisection), 5.2.2 (products of reflections) and 10.1-10.3 (Lanczos); Wu and Simon,
// Thick-restart Lanczos method, SIAM J. Matrix Anal. Appl. 22 (2000); Stathopoulos and Wu, A block
// orthogonalization procedure with constant synchronization requirements, SIAM J. Sci. Comput. 23
// (2002), for the orthogonalisation; Fernando, On computing an eigenvector of a tridiagonal matrix,
// SIAM J. Matrix Anal. Appl. 18 (1997), for the twisted factors.
package eigen
