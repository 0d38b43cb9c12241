//go:build !amd64 || noasm

package kernel

func (p *path) sturm(d, squares []float64, x *[SturmLanes]float64, pivot float64, count *[SturmLanes]int64) {
	portableSturm(d, squares, x, pivot, count)
}

func (p *path) rank2(c []float64, stride, skip int, a, b, x, y []float64) {
	portableRank2(c, stride, skip, a, b, x, y)
}
