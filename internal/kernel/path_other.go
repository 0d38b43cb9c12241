//go:build !(amd64 || arm64) || noasm

package kernel

// available lists the paths that this machine supports.
func available() []*path { return []*path{&portable} }

func tile[S, T Float](_ *path, rows, cols, k int, a []S, aRow, aStep int, b []S, bStep int, c []T, cRow int, alpha, beta T, _ ahead[S]) {
	portableTile(rows, cols, k, a, aRow, aStep, b, bStep, c, cRow, alpha, beta)
}

func accumulate[S, T Float](_ *path, to []T, from []S, more bool) { portableAccumulate(to, from, more) }

func pack[S Float](_ *path, k, count int, from []S, fromRow int, to []S, toRow int) {
	portablePack(k, count, from, fromRow, to, toRow)
}

func spmmRows[T Float](_ *path, lo, hi int, dst Matrix[T], a *CSR[T], x Matrix[T], c T, z Matrix[T]) {
	portableSpMM(lo, hi, dst, a, x, c, z)
}

func symv4[T Float](_ *path, a []T, stride int, m *[4]T, x, y []T, s *[4]T) {
	portableSymv4(a, stride, m, x, y, s)
}

func (p *path) sturm(d, squares []float64, x *[SturmLanes]float64, pivot float64, count *[SturmLanes]int64) {
	portableSturm(d, squares, x, pivot, count)
}

func convert[D, S Float](_ *path, dst []D, src []S) { portableConvert(dst, src) }

func exp[T Float](_ *path, dst, x []T, scale, shift T) { portableExp(dst, x, scale, shift) }

func rowDots(_ *path, dots, x []float32, y Matrix[float32], rows []int32) {
	portableRowDots(dots, x, y, rows)
}

func rowSteps(_ *path, m, x []float32, y Matrix[float32], rows []int32) {
	portableRowSteps(m, x, y, rows)
}

func rowFetch(_ *path, _ Matrix[float32], _ []int32) {}
