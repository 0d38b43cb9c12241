package distributed

import (
	"context"
	flags "flag"
	"io"
	"log"
	"log/slog"
	"net"
	"os"
	"reflect"
	"sync"
	"testing"
	"time"

	"coles/internal/testkit"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

// deadline ends every pipeline of the tests: an engine whose worker is gone may wait for ever.
const deadline = 5 * time.Minute

func TestMain(m *testing.M) {
	for _, step := range []any{&collectEdges{}, &collectRows{}, &collectModel{}, &collectChoice{}} {
		beam.RegisterDoFn(reflect.TypeOf(step))
	}
	follow()
	if os.Getenv("COLES_TEST_ROLE") == "boot" { // before it reads flags: it gets another program's
		if err := boot(); err != nil {
			log.Fatal(err)
		}
		os.Exit(0)
	}
	flags.Parse()
	play()
	beam.Init() // a worker process does not return
	lead()
	// Prism logs every pipeline that is to fail; COLES_LOUD shows it.
	if os.Getenv("COLES_LOUD") == "" {
		slog.SetDefault(slog.New(slog.DiscardHandler))
		beamlog.SetLogger(silent{})
	}
	os.Exit(m.Run())
}

// lead has the processes that the tests start end with this one, however it ends: its connections do.
func lead() {
	l := testkit.Must(net.Listen("tcp", "localhost:0"))
	os.Setenv("COLES_TEST_PARENT", l.Addr().String())
	go func() {
		for {
			if c, err := l.Accept(); err == nil {
				go io.Copy(io.Discard, c)
			}
		}
	}()
}

// follow ends a process that a test started, or one of its, with that test.
func follow() {
	at := os.Getenv("COLES_TEST_PARENT")
	if at == "" {
		return
	}
	c, err := net.Dial("tcp", at)
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		io.Copy(io.Discard, c)
		os.Exit(1)
	}()
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
	edgesSeen   heap[edgeChunk]
	rowsSeen    heap[rowChunk]
	modelsSeen  heap[[]byte]
	choicesSeen heap[choice]
)

type collectEdges struct{}

func (*collectEdges) ProcessElement(c edgeChunk) { edgesSeen.add(c) }

type collectRows struct{}

func (*collectRows) ProcessElement(r rowChunk) { rowsSeen.add(r) }

type collectModel struct{}

func (*collectModel) ProcessElement(m []byte) { modelsSeen.add(m) }

type collectChoice struct{}

func (*collectChoice) ProcessElement(c choice) { choicesSeen.add(c) }
