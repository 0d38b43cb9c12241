package autodiff

import (
	"math"
	"math/rand/v2"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// operation is an entry of the table that all tests of operations go through. Sizes follow from n
// and d, so that an entry serves for small and large inputs.
type operation[T Float] struct {
	name   string
	sizes  func(n, d int) [][2]int // of the inputs
	apply  func(t *Tape[T], in []*Value[T]) *Value[T]
	want   func(in []matrix64) matrix64 // the result, computed plainly; nil: tested elsewhere
	domain func(v float64) float64      // makes an input of a normal number; nil: none needed
}

func one(n, d int) [][2]int     { return [][2]int{{n, d}} }
func equal(n, d int) [][2]int   { return [][2]int{{n, d}, {n, d}} }
func factors(n, d int) [][2]int { return [][2]int{{n, d}, {d, d + 1}} }
func squared(_, d int) [][2]int { return [][2]int{{d, d}, {d, d}} }
func biased(n, d int) [][2]int  { return [][2]int{{n, d}, {1, d}} }
func sloped(n, d int) [][2]int  { return [][2]int{{n, d}, {1, 1}} }
func normed(n, d int) [][2]int  { return [][2]int{{n, d}, {1, d}, {1, d}} }
func even(n, d int) [][2]int    { return [][2]int{{2 * n, d}} }
func column(n, d int) [][2]int  { return [][2]int{{n, d}, {n, 1}} }
func joins(n, d int) [][2]int   { return [][2]int{{n, d}, {n, 1}, {n, d + 2}} }

// Inputs away from the kinks at zero, and for the power means positive ones.
func awayFromZero(v float64) float64 { return v + math.Copysign(0.1, v) }
func positive(v float64) float64     { return 0.2 + math.Abs(v) }

// unary is an operation of one n×d matrix.
func unary[T Float](name string, apply func(t *Tape[T], x *Value[T]) *Value[T], want func(x matrix64) matrix64) operation[T] {
	return operation[T]{
		name: name, sizes: one,
		apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return apply(t, in[0]) },
		want:  func(in []matrix64) matrix64 { return want(in[0]) },
	}
}

// binary is an operation of two matrices.
func binary[T Float](name string, sizes func(n, d int) [][2]int, apply func(t *Tape[T], a, b *Value[T]) *Value[T], want func(a, b matrix64) matrix64) operation[T] {
	return operation[T]{
		name: name, sizes: sizes,
		apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return apply(t, in[0], in[1]) },
		want:  func(in []matrix64) matrix64 { return want(in[0], in[1]) },
	}
}

// of makes the inputs of an operation from other numbers.
func (o operation[T]) of(domain func(float64) float64) operation[T] {
	o.domain = domain
	return o
}

// byEntry is an operation that applies a function to every entry.
func byEntry[T Float](name string, apply func(t *Tape[T], x *Value[T]) *Value[T], f func(v float64) float64) operation[T] {
	return unary(name, apply, func(x matrix64) matrix64 {
		return build(x.Rows, x.Cols, func(i, j int) float64 { return f(at(x, i, j)) })
	}).of(awayFromZero)
}

func traceByHand(h matrix64) float64 { return dotByHand(entries(h), entries(symmetricByHand(h))) }

// traceAnd is Tr(hᵀSh) of h = 2x and another function of h: in the backward pass the first one
// leaves the gradient to be multiplied by a number, which the other or the last one sees to.
func traceAnd[T Float](name string, other func(t *Tape[T], h *Value[T]) *Value[T], byHand func(h matrix64) float64) operation[T] {
	return unary("TraceQuadratic and "+name, func(t *Tape[T], x *Value[T]) *Value[T] {
		h := t.Scale(x, 2)
		y := other(t, h)
		return t.Add(t.TraceQuadratic(symmetric[T], h), t.Add(y, t.TraceQuadratic(symmetric[T], t.Scale(x, 3))))
	}, func(x matrix64) matrix64 {
		times := func(c float64) matrix64 {
			return build(x.Rows, x.Cols, func(i, j int) float64 { return c * at(x, i, j) })
		}
		return scalar(traceByHand(times(2)) + byHand(times(2)) + traceByHand(times(3)))
	})
}

func logPowerMeanOf[T Float](name string, p float64) operation[T] {
	return unary(name, func(t *Tape[T], x *Value[T]) *Value[T] { return t.LogPowerMeanRows(x, p) },
		func(x matrix64) matrix64 {
			return build(x.Rows, 1, func(i, _ int) float64 {
				if p == 0 {
					return stat.Mean(x.Row(i), nil)
				}
				return math.Log(sumOver(x.Cols, func(j int) float64 { return math.Exp(p * at(x, i, j)) })/float64(x.Cols)) / p
			})
		})
}

// spmmOf multiplies by a matrix with more rows than columns.
func spmmOf[T Float](name string, more int, apply func(t *Tape[T], s *Sparse[T], x *Value[T]) *Value[T]) operation[T] {
	return unary(name, func(t *Tape[T], x *Value[T]) *Value[T] { return apply(t, pattern[T](x.Rows()+more, x.Rows()), x) },
		func(x matrix64) matrix64 { return timesByHand(sparseOf(x.Rows+more, x.Rows), x) })
}

// timesByHand is s·x.
func timesByHand(s *CSR[float64], x matrix64) matrix64 {
	return build(s.Rows, x.Cols, func(i, j int) float64 {
		cols, vals := s.Row(i)
		return sumOver(len(cols), func(q int) float64 { return vals[q] * at(x, int(cols[q]), j) })
	})
}

// convolvedByHand is S·x + 1·b for the S that the tests use, by its number of rows.
func convolvedByHand(rows int, x, b matrix64) matrix64 {
	y := timesByHand(sparseOf(rows, x.Rows), x)
	return build(rows, x.Cols, func(i, j int) float64 { return at(y, i, j) + at(b, 0, j) })
}

func pattern[T Float](rows, cols int) *Sparse[T] {
	return NewSparse(kernel.ConvertCSR[T](sparseOf(rows, cols)), false)
}

// mulOf multiplies by a matrix of some size.
func mulOf[T Float](name string, sizes func(n, d int) [][2]int) operation[T] {
	return binary(name, sizes, (*Tape[T]).Mul, func(a, b matrix64) matrix64 {
		return build(a.Rows, a.Cols, func(i, j int) float64 { return at(a, i, j) * at(b, i%b.Rows, j%b.Cols) })
	})
}

// readings are n + 5 sequences of up to four rows below n, the first and others of none.
func readings(n int) (all [][]int) {
	rows := picks(n+11, n, 3)
	for i := range n + 5 {
		all = append(all, rows[i:][:i*i%7])
	}
	return all
}

// lstmByHand reads the same sequences, one after the other.
func lstmByHand(x, theta, phi, b matrix64) matrix64 {
	sequences, k := readings(x.Rows), phi.Rows
	sigma := func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }
	all := kernel.Dense[float64](len(sequences), k)
	for i, rows := range sequences {
		c, h := make([]float64, k), all.Row(i)
		for _, row := range rows {
			before := slices.Clone(h)
			into := func(j int) float64 {
				return at(b, 0, j) + sumOver(x.Cols, func(p int) float64 { return at(x, row, p) * at(theta, p, j) }) +
					sumOver(k, func(p int) float64 { return before[p] * at(phi, p, j) })
			}
			for j := range k {
				c[j] = sigma(into(k+j))*c[j] + sigma(into(j))*math.Tanh(into(2*k+j))
				h[j] = sigma(into(3*k+j)) * math.Tanh(c[j])
			}
		}
	}
	return all
}

// unitByHand is x with its rows divided by their lengths.
func unitByHand(x matrix64) matrix64 {
	return build(x.Rows, x.Cols, func(i, j int) float64 { return at(x, i, j) / math.Sqrt(dotByHand(x.Row(i), x.Row(i))) })
}

const normEpsilon = 1e-3

// normedByHand is γ·x̂ + β for the mean and the variance of each column.
func normedByHand(in []matrix64, mean, variance []float64) matrix64 {
	return build(in[0].Rows, in[0].Cols, func(i, j int) float64 {
		return at(in[1], 0, j)*(at(in[0], i, j)-mean[j])/math.Sqrt(variance[j]+normEpsilon) + at(in[2], 0, j)
	})
}

// operations has one entry, or one for each case, of every operation.
func operations[T Float]() []operation[T] {
	return slices.Concat(neighbourOperations[T](), ownOperations[T](), []operation[T]{
		binary("MatMul", factors, (*Tape[T]).MatMul, func(a, b matrix64) matrix64 { return productByHand(dense(a), dense(b)) }),
		binary("MatMul of squares", squared, (*Tape[T]).MatMul, func(a, b matrix64) matrix64 { return productByHand(dense(a), dense(b)) }),
		binary("MatMulTrans", equal, (*Tape[T]).MatMulTrans, func(a, b matrix64) matrix64 { return productByHand(dense(a), dense(b).T()) }),
		unary("Gram", (*Tape[T]).Gram, func(x matrix64) matrix64 { return gramByHand(x, 1, 0) }),
		spmmOf("SpMM", 2, (*Tape[T]).SpMM),
		spmmOf("SpMM, of a transpose in slabs", slabRows+90, (*Tape[T]).SpMM),
		{
			name: "Convolve", sizes: func(n, d int) [][2]int { return [][2]int{{n, d}, {d, d + 1}, {1, d + 1}} },
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] {
				return t.Convolve(pattern[T](in[0].Rows()+2, in[0].Rows()), in[0], in[1], in[2])
			},
			want: func(in []matrix64) matrix64 {
				return convolvedByHand(in[0].Rows+2, productByHand(dense(in[0]), dense(in[1])), in[2])
			},
		},
		// S·(P·θ) + 1·b + (P·θ)∘(P·θ): the last part needs P·θ itself in the backward pass.
		binary("Convolve and MatMul of one SparseConstant", biased, func(t *Tape[T], theta, b *Value[T]) *Value[T] {
			n := theta.Rows()
			x := t.SparseConstant(pattern[T](n+2, n))
			y := t.Convolve(pattern[T](n+2, n+2), x, theta, b)
			product := t.MatMul(x, theta)
			return t.Add(y, t.Mul(product, product))
		}, func(theta, b matrix64) matrix64 {
			product := timesByHand(sparseOf(theta.Rows+2, theta.Rows), theta)
			y := convolvedByHand(product.Rows, product, b)
			return build(y.Rows, y.Cols, func(i, j int) float64 { return at(y, i, j) + at(product, i, j)*at(product, i, j) })
		}),
		spmmOf("MatMul of a SparseConstant", 2, func(t *Tape[T], s *Sparse[T], x *Value[T]) *Value[T] { return t.MatMul(t.SparseConstant(s), x) }),
		// S[r₁][r₂]·x + S[r₂][r₁]·x, rows taken twice of a product that is taken once.
		unary("MatMul of rows of a SparseConstant", func(t *Tape[T], x *Value[T]) *Value[T] {
			s := t.SparseConstant(pattern[T](x.Rows()+2, x.Rows()))
			first, second := picks(s.Rows(), s.Rows(), 1), picks(s.Rows(), s.Rows(), 2)
			return t.Add(t.MatMul(t.Gather(t.Gather(s, first), second), x), t.MatMul(t.Gather(t.Gather(s, second), first), x))
		}, func(x matrix64) matrix64 {
			s := sparseOf(x.Rows+2, x.Rows)
			first, second := picks(s.Rows, s.Rows, 1), picks(s.Rows, s.Rows, 2)
			return build(s.Rows, x.Cols, func(i, j int) (sum float64) {
				for _, r := range []int{first[second[i]], second[first[i]]} {
					cols, vals := s.Row(r)
					sum += sumOver(len(cols), func(q int) float64 { return vals[q] * at(x, int(cols[q]), j) })
				}
				return sum
			})
		}),
		unary("TraceQuadratic", func(t *Tape[T], h *Value[T]) *Value[T] { return t.TraceQuadratic(symmetric[T], h) },
			func(h matrix64) matrix64 { return scalar(traceByHand(h)) }),
		traceAnd("Sum", (*Tape[T]).Sum, func(h matrix64) float64 { return matrix.Sum(h.Data) }),
		traceAnd("Gram", func(t *Tape[T], h *Value[T]) *Value[T] { return t.Sum(t.Gram(h)) },
			func(h matrix64) float64 { return matrix.Sum(gramByHand(h, 1, 0).Data) }),
		traceAnd("SpMM", func(t *Tape[T], h *Value[T]) *Value[T] { return t.Sum(t.SpMM(pattern[T](h.Rows()+2, h.Rows()), h)) },
			func(h matrix64) float64 { return matrix.Sum(timesByHand(sparseOf(h.Rows+2, h.Rows), h).Data) }),
		unary("SoftOrthogonality", (*Tape[T]).SoftOrthogonality, func(h matrix64) matrix64 {
			e := entries(gramByHand(h, 1/float64(h.Rows), 1))
			return scalar(dotByHand(e, e) / float64(h.Cols))
		}),
		binary("Bias", biased, (*Tape[T]).Bias, func(x, b matrix64) matrix64 {
			return build(x.Rows, x.Cols, func(i, j int) float64 { return at(x, i, j) + at(b, 0, j) })
		}),
		binary("Add", equal, (*Tape[T]).Add, func(a, b matrix64) matrix64 {
			return build(a.Rows, a.Cols, func(i, j int) float64 { return at(a, i, j) + at(b, i, j) })
		}),
		byEntry("Scale", func(t *Tape[T], x *Value[T]) *Value[T] { return t.Scale(x, -1.7) }, func(v float64) float64 { return -1.7 * v }),
		mulOf[T]("Mul", equal),
		mulOf[T]("Mul by a row", biased),
		mulOf[T]("Mul by a column", column),
		mulOf[T]("Mul by a number", sloped),
		byEntry("Exp", (*Tape[T]).Exp, math.Exp),
		byEntry("Reciprocal", (*Tape[T]).Reciprocal, func(v float64) float64 { return 1 / v }),
		byEntry("Pow", func(t *Tape[T], x *Value[T]) *Value[T] { return t.Pow(x, -0.4) },
			func(v float64) float64 { return math.Pow(v, -0.4) }).of(positive),
		byEntry("ReLU", (*Tape[T]).ReLU, func(v float64) float64 { return math.Max(v, 0) }),
		binary("PReLU", sloped, (*Tape[T]).PReLU, func(x, a matrix64) matrix64 {
			return build(x.Rows, x.Cols, func(i, j int) float64 {
				return math.Max(at(x, i, j), 0) + at(a, 0, 0)*math.Min(at(x, i, j), 0)
			})
		}).of(awayFromZero),
		byEntry("ELU", (*Tape[T]).ELU, func(v float64) float64 {
			if v > 0 {
				return v
			}
			return math.Exp(v) - 1
		}),
		byEntry("Sigmoid", (*Tape[T]).Sigmoid, func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }),
		byEntry("LogSigmoid", (*Tape[T]).LogSigmoid, func(v float64) float64 { return -math.Log(1 + math.Exp(-v)) }),
		byEntry("Softplus", (*Tape[T]).Softplus, func(v float64) float64 { return math.Log(1 + math.Exp(v)) }),
		{
			// What is dropped is tested by TestDropsAreIndependent.
			name: "Dropout", sizes: one,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.Dropout(in[0], 0.4, rand.New(rand.NewPCG(5, 6))) },
		},
		{
			// And here by TestDropoutOfASparseConstant.
			name: "Dropout of a SparseConstant", sizes: one,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] {
				s := t.SparseConstant(pattern[T](in[0].Rows()+slabRows+90, in[0].Rows()))
				return t.MatMul(t.Dropout(s, 0.4, rand.New(rand.NewPCG(5, 6))), in[0])
			},
		},
		unary("RowNormalize", (*Tape[T]).RowNormalize, unitByHand),
		unary("ColumnNormalize", (*Tape[T]).ColumnNormalize, func(x matrix64) matrix64 {
			gram := gramByHand(x, 1, 0)
			return build(x.Rows, x.Cols, func(i, j int) float64 { return at(x, i, j) / math.Sqrt(at(gram, j, j)) })
		}),
		{
			name: "BatchNorm", sizes: normed,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] {
				d := in[0].Cols()
				return t.BatchNorm(in[0], in[1], in[2], normEpsilon, make([]float64, d), make([]float64, d))
			},
			want: func(in []matrix64) matrix64 {
				var means, variances []float64
				for j := range in[0].Cols {
					column := entries(kernel.Columns(in[0], j, j+1))
					m, variance := stat.PopMeanVariance(column, nil)
					means, variances = append(means, m), append(variances, variance)
				}
				return normedByHand(in, means, variances)
			},
		},
		{
			name: "BatchNormFixed", sizes: normed,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] {
				mean, variance := fixedStatistics(in[0].Cols())
				return t.BatchNormFixed(in[0], in[1], in[2], normEpsilon, mean, variance)
			},
			want: func(in []matrix64) matrix64 {
				mean, variance := fixedStatistics(in[0].Cols)
				return normedByHand(in, mean, variance)
			},
		},
		{
			name: "LayerNorm", sizes: normed,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.LayerNorm(in[0], in[1], in[2], normEpsilon) },
			want: func(in []matrix64) matrix64 {
				return build(in[0].Rows, in[0].Cols, func(i, j int) float64 {
					m, variance := stat.PopMeanVariance(in[0].Row(i), nil)
					return at(in[1], 0, j)*(at(in[0], i, j)-m)/math.Sqrt(variance+normEpsilon) + at(in[2], 0, j)
				})
			},
		},
		unary("SoftmaxCrossEntropy", func(t *Tape[T], x *Value[T]) *Value[T] {
			return t.SoftmaxCrossEntropy(x, picks(x.Rows()+2, x.Rows(), 3), picks(x.Rows()+2, x.Cols(), 1))
		}, func(x matrix64) matrix64 {
			m := x.Rows + 2
			rows, labels := picks(m, x.Rows, 3), picks(m, x.Cols, 1)
			return scalar(sumOver(m, func(k int) float64 {
				all := sumOver(x.Cols, func(c int) float64 { return math.Exp(at(x, rows[k], c)) })
				return -math.Log(math.Exp(at(x, rows[k], labels[k]))/all) / float64(m)
			}))
		}),
		unary("Gather", func(t *Tape[T], x *Value[T]) *Value[T] { return t.Gather(x, picks(x.Rows()+3, x.Rows(), 2)) },
			func(x matrix64) matrix64 {
				rows := picks(x.Rows+3, x.Rows, 2)
				return build(len(rows), x.Cols, func(i, j int) float64 { return at(x, rows[i], j) })
			}),
		{
			name: "LSTM", sizes: func(n, d int) [][2]int { return [][2]int{{n, d}, {d, 4 * d}, {d, 4 * d}, {1, 4 * d}} },
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] {
				return t.LSTM(in[0], in[1], in[2], in[3], readings(in[0].Rows()))
			},
			want:   func(in []matrix64) matrix64 { return lstmByHand(in[0], in[1], in[2], in[3]) },
			domain: func(v float64) float64 { return v / 4 }, // a difference grows with every step
		},
		{
			name: "Concat", sizes: joins,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.Concat(in...) },
			want: func(in []matrix64) matrix64 {
				d := in[0].Cols
				return build(in[0].Rows, 2*d+3, func(i, j int) float64 {
					return slices.Concat(in[0].Row(i), in[1].Row(i), in[2].Row(i))[j]
				})
			},
		},
		binary("Concat of two", equal, func(t *Tape[T], a, b *Value[T]) *Value[T] { return t.Concat(a, b) },
			func(a, b matrix64) matrix64 {
				return build(a.Rows, 2*a.Cols, func(i, j int) float64 { return slices.Concat(a.Row(i), b.Row(i))[j] })
			}),
		unary("Columns", func(t *Tape[T], x *Value[T]) *Value[T] { return t.Columns(x, 1, x.Cols()) }, func(x matrix64) matrix64 {
			return build(x.Rows, x.Cols-1, func(i, j int) float64 { return at(x, i, j+1) })
		}),
		{
			name: "Reshape", sizes: even,
			apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.Reshape(in[0], in[0].Rows()/2, 2*in[0].Cols()) },
			want: func(in []matrix64) matrix64 {
				e := entries(in[0])
				return build(in[0].Rows/2, 2*in[0].Cols, func(i, j int) float64 { return e[i*2*in[0].Cols+j] })
			},
		},
		binary("RowDots", equal, (*Tape[T]).RowDots, func(a, b matrix64) matrix64 {
			return build(a.Rows, 1, func(i, _ int) float64 { return dotByHand(a.Row(i), b.Row(i)) })
		}),
		binary("GatherDots", equal, func(t *Tape[T], a, b *Value[T]) *Value[T] {
			return t.GatherDots(a, picks(a.Rows()+4, a.Rows(), 1), b, picks(a.Rows()+4, a.Rows(), 2))
		}, func(a, b matrix64) matrix64 {
			us, vs := picks(a.Rows+4, a.Rows, 1), picks(a.Rows+4, a.Rows, 2)
			return build(len(us), 1, func(k, _ int) float64 { return dotByHand(a.Row(us[k]), b.Row(vs[k])) })
		}),
		logPowerMeanOf[T]("LogPowerMeanRows, geometric", 0),
		logPowerMeanOf[T]("LogPowerMeanRows, arithmetic", 1),
		logPowerMeanOf[T]("LogPowerMeanRows, harmonic", -1),
		unary("Sum", (*Tape[T]).Sum, func(x matrix64) matrix64 { return scalar(mat.Sum(dense(x))) }),
		unary("Mean", (*Tape[T]).Mean, func(x matrix64) matrix64 { return scalar(stat.Mean(entries(x), nil)) }),
	})
}
