// Package custom is for programs that write layers, objectives, augmentations and samplers of their own for
// package gnn: what their functions are given, and how they describe themselves.
//
//	func swish[T autodiff.Float](p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
//		return p.Mul(h, p.Sigmoid(h))
//	}
//
//	func logistic[T autodiff.Float](s *custom.Step[T]) *autodiff.Value[T] { // of the edges
//		us, vs, _ := s.Edges()
//		h := s.Output(&custom.View{})
//		return s.Scale(s.Mean(s.LogSigmoid(s.GatherDots(h, us, h, vs))), -1)
//	}
//
//	layer := gnn.NewLayer("swish", custom.LayerSpec{Width: gnn.SameWidth}, swish[float32], swish[float64])
//	loss := gnn.NewObjective("logistic", custom.ObjectiveSpec{}, logistic[float32], logistic[float64])
//
// A layer and an objective are functions over the operations of [coles/gnn/autodiff], which has their
// gradients: of a [Pass] and of a [Step]. Each is written once, with a type parameter, and given in both
// precisions. H is the input of a layer, n × k, and the output of the network where an objective sees it.
// A type that package gnn is said to have, such as Settings, is there.
package custom
