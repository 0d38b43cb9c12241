// Package gnn trains graph neural networks with the contrast of COLES (Zhu, Sun and Koniusz, NeurIPS 2021). The
// network takes the place of FXPᵀ, and the contrast ΔW stays. Gradients are written by hand.
//
//	m, err := gnn.Train(ctx, g, x)      // COLES-GCN at its default setting
//	y := m.Embedding()                  // n × d′
//	z, err := m.Embed(ctx, grown, more) // nodes that came later
//
// With H = f(X; Θ), n × d′, the output of a network, [Train] minimises
//
//	−Tr(HᵀΔWH)/n + β·‖HᵀH/n − I‖²_F/d′,  ΔW = W⁺ − (η′/κ)·Σₖ W⁻ₖ,
//
// over the parameters Θ. A [Network] is a list of layers: [GCN], [SAGE], [Linear] and fixed filters ([Propagate]). A
// weight may be held on the Stiefel manifold ([Layer.Orthonormal]), which is the paper's other way to keep the
// columns of H apart. [SampledNCE] and [PowerMean] are the objectives that the paper compares with, [Augmentation]
// trains on two views of the graph, and [TrainClassifier] trains the same networks on labels. A program adds layers,
// objectives, augmentations and samplers of its own by package [coles/gnn/custom]. The closed form of package coles
// is faster and, on the graphs of the README's table, mostly more accurate. Errors are the errors of package coles,
// and two more.
//
//	paper            here                    what
//	f(X; Θ), ΔW      Network, coles.Contrast features to embeddings, the contrast
//	β, Ω             COLES                   weight of the penalty ‖HᵀH/n − I‖²_F/d′
//	κ, η′            Settings.Kappa, Eta     negative graphs and their weight
//	M_p, SampledNCE  PowerMean, SampledNCE   the rivals with the same networks
//	PPᵀ = I          Layer.Orthonormal       a weight with orthonormal columns
//	+Aug             Drop                    two views
package gnn

import (
	"errors"
	"fmt"

	"coles/internal/setting"
)

var (
	// ErrDiverged: a loss or a gradient is no longer a number, or a weight has lost its rank. A smaller rate helps.
	ErrDiverged = errors.New("training diverged")
	// ErrCheckpoint: a checkpoint of other data, or of settings that must not change.
	ErrCheckpoint = errors.New("checkpoint of another training")
)

// bad is a coles.SettingError.
func bad(field string, value any, want string, args ...any) error {
	return fmt.Errorf("gnn: %w", setting.Bad(field, value, want, args...))
}

// layerField names a layer in errors.
func layerField(i int) string { return fmt.Sprintf("Network[%d]", i) }
