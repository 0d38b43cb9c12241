//go:build !amd64 || noasm

package kernel

import "gonum.org/v1/gonum/blas/blas64"

// available lists the paths that this machine supports.
func available() []*path { return []*path{&portable} }

func (p *path) tile(rows, cols, k int, a []float64, aRow, aStep int, b []float64, bStep int, c []float64, cRow int, alpha, beta float64) {
	portableTile(rows, cols, k, a, aRow, aStep, b, bStep, c, cRow, alpha, beta)
}

func (p *path) pack(k, count int, from []float64, fromRow int, to []float64, toRow int) {
	portablePack(k, count, from, fromRow, to, toRow)
}

func (p *path) spmm(lo, hi int, dst blas64.General, a *CSR, x blas64.General, c float64, z blas64.General) {
	portableSpMM(lo, hi, dst, a, x, c, z)
}

func (p *path) symv4(a []float64, stride int, m *[4]float64, x, y []float64, s *[4]float64) {
	portableSymv4(a, stride, m, x, y, s)
}
