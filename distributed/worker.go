package distributed

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"coles"
	"coles/internal/kernel"
)

// A worker computes by the inner loops of the plan. In this program it parks its pieces under Job.
type worker struct{ Kernel, Job string }

func (p plan) worker() worker { return worker{p.Grid.Kernel, p.job} }

// choosing guards the choice of inner loops, which a process has once.
var choosing sync.Mutex

// Setup fails on a machine where the same sums would round differently.
func (w worker) Setup() error {
	choosing.Lock()
	defer choosing.Unlock()
	if err := kernel.Check(); err != nil {
		return fmt.Errorf("distributed: %w", err)
	}
	if w.Kernel == kernel.Path() {
		return nil
	}
	if can := kernel.Paths(); !slices.Contains(can, w.Kernel) {
		return fmt.Errorf("distributed: %w: a worker cannot compute by %s, only by %s: give a kernel that all have", coles.ErrSetting, w.Kernel, strings.Join(can, ", "))
	}
	return kernel.Use(w.Kernel)
}

// sender emits pieces that one step takes, once. That step must not be fused to this one: the coder takes a piece.
func (w worker) sender(emit func(int64, piece)) func(int64, piece) {
	if w.Job == "" {
		return emit
	}
	return func(to int64, p piece) { emit(to, park(w.Job, p)) }
}
