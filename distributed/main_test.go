package distributed

import (
	"context"
	flags "flag"
	"log"
	"log/slog"
	"os"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

// deadline ends every pipeline of the tests: an engine whose worker is gone may wait for ever.
const deadline = 60 * time.Second

func TestMain(m *testing.M) {
	for _, step := range []any{&collectEdges{}, &collectRows{}, &collectModel{}, &collectChoice{}} {
		beam.RegisterDoFn(reflect.TypeOf(step))
	}
	if os.Getenv("COLES_TEST_ROLE") == "boot" { // before it reads flags: it has those of others
		if err := boot(); err != nil {
			log.Fatal(err)
		}
		os.Exit(0)
	}
	flags.Parse()
	play()
	beam.Init() // a worker process does not return
	// Prism logs every pipeline that is to fail; COLES_LOUD shows it.
	if os.Getenv("COLES_LOUD") == "" {
		slog.SetDefault(slog.New(slog.DiscardHandler))
		beamlog.SetLogger(silent{})
	}
	os.Exit(m.Run())
}

type silent struct{}

func (silent) Log(context.Context, beamlog.Severity, int, string) {}

// runPipeline runs a pipeline on the embedded engine.
func runPipeline(t *testing.T, build func(s beam.Scope)) (Counters, error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), deadline)
	defer stop()
	p, s := beam.NewPipelineWithRoot()
	build(s)
	e, err := newEngine(ctx, prismName, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.close()
	return e.run(ctx, "test", p, func(Counters) {})
}

// A heap is where the embedded engine, which runs in this process, leaves what a test asks for.
type heap[T any] struct {
	sync.Mutex
	list []T
}

func (h *heap[T]) add(v T) {
	h.Lock()
	defer h.Unlock()
	h.list = append(h.list, v)
}

// taken empties the heap.
func (h *heap[T]) taken() []T {
	h.Lock()
	defer h.Unlock()
	list := h.list
	h.list = nil
	return list
}

var (
	edgesSeen   heap[EdgeChunk]
	rowsSeen    heap[Rows]
	modelsSeen  heap[[]byte]
	choicesSeen heap[choice]
)

type collectEdges struct{}

func (*collectEdges) ProcessElement(c EdgeChunk) { edgesSeen.add(c) }

type collectRows struct{}

func (*collectRows) ProcessElement(r Rows) { rowsSeen.add(r) }

type collectModel struct{}

func (*collectModel) ProcessElement(m []byte) { modelsSeen.add(m) }

type collectChoice struct{}

func (*collectChoice) ProcessElement(c choice) { choicesSeen.add(c) }
