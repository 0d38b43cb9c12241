package tape

import (
	"math"
	"math/rand/v2"

	"coles/internal/kernel"
)

// operations has one entry, or one for each case, of every operation.
func operations[T kernel.Float]() []operation[T] {
	return []operation[T]{
		{
			name:  "MatMul",
			sizes: func(n, d int) [][2]int { return [][2]int{{n, d}, {d, d + 1}} },
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.MatMul(in[0], in[1]) },
			want: func(in []matrix64) matrix64 {
				return build(in[0].Rows, in[1].Cols, func(i, j int) float64 {
					return sumOver(in[0].Cols, func(k int) float64 { return at(in[0], i, k) * at(in[1], k, j) })
				})
			},
		},
		{
			name:  "MatMul of squares",
			sizes: func(_, d int) [][2]int { return [][2]int{{d, d}, {d, d}} },
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.MatMul(in[0], in[1]) },
			want: func(in []matrix64) matrix64 {
				return build(in[0].Rows, in[1].Cols, func(i, j int) float64 {
					return sumOver(in[0].Cols, func(k int) float64 { return at(in[0], i, k) * at(in[1], k, j) })
				})
			},
		},
		{
			name:  "MatMulTrans",
			sizes: equal,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.MatMulTrans(in[0], in[1]) },
			want: func(in []matrix64) matrix64 {
				return build(in[0].Rows, in[1].Rows, func(i, j int) float64 {
					return sumOver(in[0].Cols, func(k int) float64 { return at(in[0], i, k) * at(in[1], j, k) })
				})
			},
		},
		{
			name: "Gram", sizes: one,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.Gram(in[0]) },
			want:  func(in []matrix64) matrix64 { return gramByHand(in[0], 1, 0) },
		},
		spmmOf[T]("SpMM", 2),
		spmmOf[T]("SpMM, of a transpose in slabs", slabRows+90),
		{
			name: "Contrast", sizes: one,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.Contrast(symmetric[T], in[0]) },
			want: func(in []matrix64) matrix64 {
				return build(in[0].Rows, in[0].Cols, func(i, j int) float64 {
					return sumOver(in[0].Rows, func(k int) float64 { return symmetricEntry(i, k) * at(in[0], k, j) })
				})
			},
		},
		{
			name: "TraceQuadratic", sizes: one,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.TraceQuadratic(symmetric[T], in[0]) },
			want: func(in []matrix64) matrix64 {
				n := in[0].Rows
				return scalar(sumOver(n*n*in[0].Cols, func(k int) float64 {
					i, l, j := k%n, k/n%n, k/n/n
					return at(in[0], i, j) * symmetricEntry(i, l) * at(in[0], l, j)
				}))
			},
		},
		{
			name: "SoftOrthogonality", sizes: one,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.SoftOrthogonality(in[0]) },
			want: func(in []matrix64) matrix64 {
				return scalar(squares(gramByHand(in[0], 1/float64(in[0].Rows), 1)) / float64(in[0].Cols))
			},
		},
		{
			name: "LiteralOrthogonality", sizes: one,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.LiteralOrthogonality(in[0]) },
			want:  func(in []matrix64) matrix64 { return scalar(squares(gramByHand(in[0], 1, 1))) },
		},
		{
			name:  "Bias",
			sizes: func(n, d int) [][2]int { return [][2]int{{n, d}, {1, d}} },
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.Bias(in[0], in[1]) },
			want: func(in []matrix64) matrix64 {
				return build(in[0].Rows, in[0].Cols, func(i, j int) float64 { return at(in[0], i, j) + at(in[1], 0, j) })
			},
		},
		byEntry("ReLU", (*Tape[T]).ReLU, func(v float64) float64 { return math.Max(v, 0) }),
		{
			name:   "PReLU",
			sizes:  func(n, d int) [][2]int { return [][2]int{{n, d}, {1, 1}} },
			domain: awayFromZero,
			apply:  func(t *Tape[T], in []*Value[T]) *Value[T] { return t.PReLU(in[0], in[1]) },
			want: func(in []matrix64) matrix64 {
				return build(in[0].Rows, in[0].Cols, func(i, j int) float64 {
					v := at(in[0], i, j)
					return math.Max(v, 0) + at(in[1], 0, 0)*math.Min(v, 0)
				})
			},
		},
		byEntry("ELU", (*Tape[T]).ELU, func(v float64) float64 {
			if v > 0 {
				return v
			}
			return math.Exp(v) - 1
		}),
		byEntry("Sigmoid", (*Tape[T]).Sigmoid, func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }),
		byEntry("LogSigmoid", (*Tape[T]).LogSigmoid, func(v float64) float64 { return -math.Log(1 + math.Exp(-v)) }),
		byEntry("Softplus", (*Tape[T]).Softplus, func(v float64) float64 { return math.Log(1 + math.Exp(v)) }),
		byEntry("Scale", func(t *Tape[T], x *Value[T]) *Value[T] { return t.Scale(x, -1.7) }, func(v float64) float64 { return -1.7 * v }),
		{
			// What is dropped is tested by TestDropoutKeepsTheMean.
			name: "Dropout", sizes: one,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.Dropout(in[0], 0.4, rand.New(rand.NewPCG(5, 6))) },
		},
		{
			name: "RowNormalize", sizes: one,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.RowNormalize(in[0]) },
			want: func(in []matrix64) matrix64 {
				return build(in[0].Rows, in[0].Cols, func(i, j int) float64 {
					return at(in[0], i, j) / math.Sqrt(sumOver(in[0].Cols, func(k int) float64 { return at(in[0], i, k) * at(in[0], i, k) }))
				})
			},
		},
		{
			name: "ColumnNormalize", sizes: one,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.ColumnNormalize(in[0]) },
			want: func(in []matrix64) matrix64 {
				return build(in[0].Rows, in[0].Cols, func(i, j int) float64 {
					return at(in[0], i, j) / math.Sqrt(sumOver(in[0].Rows, func(k int) float64 { return at(in[0], k, j) * at(in[0], k, j) }))
				})
			},
		},
		{
			name:  "BatchNorm",
			sizes: func(n, d int) [][2]int { return [][2]int{{n, d}, {1, d}, {1, d}} },
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] {
				d := in[0].Cols()
				return t.BatchNorm(in[0], in[1], in[2], normEpsilon, make([]float64, d), make([]float64, d))
			},
			want: func(in []matrix64) matrix64 {
				n := float64(in[0].Rows)
				return build(in[0].Rows, in[0].Cols, func(i, j int) float64 {
					mean := sumOver(in[0].Rows, func(k int) float64 { return at(in[0], k, j) / n })
					variance := sumOver(in[0].Rows, func(k int) float64 { return math.Pow(at(in[0], k, j)-mean, 2) / n })
					return at(in[1], 0, j)*(at(in[0], i, j)-mean)/math.Sqrt(variance+normEpsilon) + at(in[2], 0, j)
				})
			},
		},
		{
			name:  "BatchNormFixed",
			sizes: func(n, d int) [][2]int { return [][2]int{{n, d}, {1, d}, {1, d}} },
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] {
				mean, variance := fixedStatistics(in[0].Cols())
				return t.BatchNormFixed(in[0], in[1], in[2], normEpsilon, mean, variance)
			},
			want: func(in []matrix64) matrix64 {
				mean, variance := fixedStatistics(in[0].Cols)
				return build(in[0].Rows, in[0].Cols, func(i, j int) float64 {
					return at(in[1], 0, j)*(at(in[0], i, j)-mean[j])/math.Sqrt(variance[j]+normEpsilon) + at(in[2], 0, j)
				})
			},
		},
		{
			name: "SoftmaxCrossEntropy", sizes: one,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] {
				n := in[0].Rows()
				return t.SoftmaxCrossEntropy(in[0], picks(n+2, n, 3), picks(n+2, in[0].Cols(), 1))
			},
			want: func(in []matrix64) matrix64 {
				n, classes := in[0].Rows, in[0].Cols
				rows, labels := picks(n+2, n, 3), picks(n+2, classes, 1)
				return scalar(sumOver(n+2, func(k int) float64 {
					all := sumOver(classes, func(c int) float64 { return math.Exp(at(in[0], rows[k], c)) })
					return -math.Log(math.Exp(at(in[0], rows[k], labels[k]))/all) / float64(n+2)
				}))
			},
		},
		{
			name: "Gather", sizes: one,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] {
				return t.Gather(in[0], picks(in[0].Rows()+3, in[0].Rows(), 2))
			},
			want: func(in []matrix64) matrix64 {
				rows := picks(in[0].Rows+3, in[0].Rows, 2)
				return build(len(rows), in[0].Cols, func(i, j int) float64 { return at(in[0], rows[i], j) })
			},
		},
		{
			name: "Reshape", sizes: func(n, d int) [][2]int { return [][2]int{{2 * n, d}} },
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.Reshape(in[0], in[0].Rows()/2, 2*in[0].Cols()) },
			want: func(in []matrix64) matrix64 {
				e := entries(in[0])
				return build(in[0].Rows/2, 2*in[0].Cols, func(i, j int) float64 { return e[i*2*in[0].Cols+j] })
			},
		},
		{
			name: "RowDots", sizes: equal,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.RowDots(in[0], in[1]) },
			want: func(in []matrix64) matrix64 {
				return build(in[0].Rows, 1, func(i, _ int) float64 {
					return sumOver(in[0].Cols, func(j int) float64 { return at(in[0], i, j) * at(in[1], i, j) })
				})
			},
		},
		{
			name:  "GatherDots",
			sizes: equal,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] {
				n := in[0].Rows()
				return t.GatherDots(in[0], picks(n+4, n, 1), in[1], picks(n+4, n, 2))
			},
			want: func(in []matrix64) matrix64 {
				n := in[0].Rows
				us, vs := picks(n+4, n, 1), picks(n+4, n, 2)
				return build(n+4, 1, func(k, _ int) float64 {
					return sumOver(in[0].Cols, func(j int) float64 { return at(in[0], us[k], j) * at(in[1], vs[k], j) })
				})
			},
		},
		{
			name: "LogSumExp", sizes: one,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.LogSumExp(in[0]) },
			want: func(in []matrix64) matrix64 {
				e := entries(in[0])
				return scalar(math.Log(sumOver(len(e), func(k int) float64 { return math.Exp(e[k]) })))
			},
		},
		powerMeanOf[T]("PowerMean, geometric", 0),
		powerMeanOf[T]("PowerMean, arithmetic", 1),
		powerMeanOf[T]("PowerMean, harmonic", -1),
		powerMeanOf[T]("PowerMean, quadratic", 2),
		powerMeanOf[T]("PowerMean, p = −2.5", -2.5),
		logPowerMeanOf[T]("LogPowerMeanRows, geometric", 0),
		logPowerMeanOf[T]("LogPowerMeanRows, arithmetic", 1),
		logPowerMeanOf[T]("LogPowerMeanRows, harmonic", -1),
		logPowerMeanOf[T]("LogPowerMeanRows, quadratic", 2),
		{
			name: "Add", sizes: equal,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.Add(in[0], in[1]) },
			want: func(in []matrix64) matrix64 {
				return build(in[0].Rows, in[0].Cols, func(i, j int) float64 { return at(in[0], i, j) + at(in[1], i, j) })
			},
		},
		{
			name: "Sum", sizes: one,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.Sum(in[0]) },
			want: func(in []matrix64) matrix64 {
				e := entries(in[0])
				return scalar(sumOver(len(e), func(k int) float64 { return e[k] }))
			},
		},
		{
			name: "Mean", sizes: one,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.Mean(in[0]) },
			want: func(in []matrix64) matrix64 {
				e := entries(in[0])
				return scalar(sumOver(len(e), func(k int) float64 { return e[k] }) / float64(len(e)))
			},
		},
	}
}

// gramByHand is c·aᵀa − identity·I.
func gramByHand(a matrix64, c, identity float64) matrix64 {
	return build(a.Cols, a.Cols, func(i, j int) float64 {
		v := c * sumOver(a.Rows, func(k int) float64 { return at(a, k, i) * at(a, k, j) })
		if i == j {
			v -= identity
		}
		return v
	})
}

func squares(m matrix64) float64 {
	e := entries(m)
	return sumOver(len(e), func(k int) float64 { return e[k] * e[k] })
}

func fixedStatistics(d int) (mean, variance []float64) {
	for j := range d {
		mean = append(mean, math.Sin(float64(j)))
		variance = append(variance, 0.5+math.Abs(math.Cos(float64(j))))
	}
	return mean, variance
}
