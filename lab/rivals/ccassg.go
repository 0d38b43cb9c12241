package rivals

import (
	"fmt"
	"math"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
)

// CCASSG is canonical correlation analysis by self-supervision on graphs (Zhang, Wu, Yan, Wipf and Yu, NeurIPS 2021).
// [gnn.Drop] draws two views in every epoch. By the loss of [CCAObjective] their embeddings become alike, in columns
// that are not correlated. The authors' settings:
//
//	               layers  epochs  edges dropped  features dropped  λ
//	cora           2       50      0.4            0.1               1e-3
//	citeseer       1       20      0.4            0                 5e-4
//	pubmed         2       100     0.5            0.3               1e-3
//	amazon_photo   2       50      0.3            0.2               1e-3
//	every other    2       50      0.4            0.2               1e-3
//
// with layers [gnn.GCN] of 512 columns, ReLU between them, rows of features that sum to one, and
// Adam(1e-3). The setting for every other graph has the medians of theirs, in which their Coauthor
// CS is counted; they encode that one without its graph, which is not here. They drop each
// direction of an edge for itself, which makes the operator of a view one-sided.
//
// It trains (d+1)·512 numbers, and with the second layer 513·512 more: 996,864 on Cora. An epoch
// takes some (4·nnz(X) + 8·nnz(W))·h + 9·n·h² multiplications with two layers of h columns, (4·nnz(X)
// + 4·nnz(W))·h + 3·n·h² with one.
func CCASSG(dataset string) gnn.Settings {
	layers, epochs, edges, features, lambda := 2, 50, 0.4, 0.2, 1e-3
	switch dataset {
	case "cora":
		features = 0.1
	case "citeseer":
		layers, epochs, features, lambda = 1, 20, 0, 5e-4
	case "pubmed":
		epochs, edges, features = 100, 0.5, 0.3
	case "amazon_photo":
		edges = 0.3
	}
	s := rival(CCAObjective(lambda), []gnn.Layer{gnn.GCN(512), gnn.ReLU(), gnn.GCN(512)}[:2*layers-1]...)
	s.Augmentation = gnn.Drop([2]float64{edges, edges}, [2]float64{features, features})
	s.Epochs = epochs
	return s
}

// CCAObjective is the loss of [CCASSG] for the outputs of two views, Z₁ and Z₂ once their columns
// have the mean 0 and the standard deviation 1, of n − 1 degrees of freedom:
//
//	−Tr(Z₁ᵀZ₂)/n + λ·(‖Z₁ᵀZ₁/n − I‖²_F + ‖Z₂ᵀZ₂/n − I‖²_F).
//
// It takes an augmentation of two views, such as [gnn.Drop], or fails with [coles.ErrSetting].
func CCAObjective(lambda float64) gnn.Objective {
	return gnn.NewObjective(fmt.Sprintf("cca-ssg lambda=%v", lambda), custom.ObjectiveSpec{},
		func(s *custom.Step[float32]) *autodiff.Value[float32] { return ccaLoss(s, lambda) },
		func(s *custom.Step[float64]) *autodiff.Value[float64] { return ccaLoss(s, lambda) })
}

func ccaLoss[T autodiff.Float](s *custom.Step[T], lambda float64) *autodiff.Value[T] {
	views := s.Views()
	if len(views) != 2 {
		s.Fail(fmt.Errorf("rivals: CCA-SSG: %w: %d views, want 2", coles.ErrSetting, len(views)))
		return nil
	}
	return decorrelation(s.Tape, s.Output(views[0]), s.Output(views[1]), lambda)
}

// decorrelation is the formula of [CCAObjective] for outputs as they are.
func decorrelation[T autodiff.Float](t *autodiff.Tape[T], z1, z2 *autodiff.Value[T], lambda float64) *autodiff.Value[T] {
	z1, z2 = standardized(t, z1), standardized(t, z2)
	penalty := t.Add(t.SoftOrthogonality(z1), t.SoftOrthogonality(z2)) // of each over d′
	return t.Add(t.Scale(t.Mean(t.RowDots(z1, z2)), -1), t.Scale(penalty, lambda*float64(z1.Cols())))
}

// standardized gives every column the mean 0 and the standard deviation 1, of n − 1 degrees of
// freedom. A constant column becomes zero: the authors divide it by zero.
func standardized[T autodiff.Float](t *autodiff.Tape[T], z *autodiff.Value[T]) *autodiff.Value[T] {
	n, d := float64(z.Rows()), z.Cols()
	scale := constant(t, 1, d, math.Sqrt((n-1)/n)) // BatchNorm has n degrees
	return t.BatchNorm(z, scale, constant(t, 1, d, 0), 1e-12, make([]float64, d), make([]float64, d))
}
