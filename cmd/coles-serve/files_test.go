package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"coles/dataset"
	browser "coles/examples/browser/view"
	"coles/internal/testkit"
	"coles/task"

	"gonum.org/v1/gonum/mat"
)

// TestFilesAgree has command, service and page read the same files: they find the same nodes, features and labels, say the
// same of them, or refuse them in the same words. Before, the service read text alone and said nothing, the page took a table
// of Excel for text, and each told of rows without edges in words of its own.
func TestFilesAgree(t *testing.T) {
	command := built(t)
	archive := func() string {
		d := testkit.Must(dataset.OpenEdgeList("e.csv", "f.csv", ""))
		var b bytes.Buffer
		testkit.Check(t, dataset.WriteNPZ(&b, d))
		return b.String()
	}
	matrix := func(rows int) string {
		var b bytes.Buffer
		testkit.Check(t, dataset.WriteNPY(&b, mat.NewDense(rows, 2, []float64{1, 0, 0, 1, 2, 3, 1, 1}[:2*rows])))
		return b.String()
	}
	t.Chdir(t.TempDir())
	const rows = "id,x,y\nann,1,2\nbob,3,4\ncy,2,1\ndan,0,1\n"
	for name, content := range map[string]string{
		"e.csv": "ann,bob\nbob,cy\ncy,dan\n", "f.csv": rows, "l.csv": "ann,x\ndan,y\n",
		"same.csv": "id,x,y\nann,1,2\nbob,1,2\ncy,1,2\ndan,1,2\n", "holes.csv": "id,town,age\nann,Rome,30\nbob,Oslo,\ncy,Rome,50\ndan,Oslo,1\n",
		"g.mtx": "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n", "m.csv": "0,x\n2,y\n", "x.npy": matrix(3), "four.npy": matrix(4),
		"buddies.csv": "person,buddy\nann,bob\nbob,ann\n", "friends.xlsx": "PK", "word.csv": "ann\n",
	} {
		write(t, name, content)
	}
	write(t, "g.npz", archive())
	for _, c := range []struct{ edges, features, labels, found, said string }{
		{"e.csv", "f.csv", "l.csv", "4 nodes, 3 edges, 2 features, 2 labels", ""},
		{"g.mtx", "x.npy", "m.csv", "3 nodes, 2 edges, 2 features, 2 labels", ""},
		{"g.npz", "", "l.csv", "4 nodes, 3 edges, 2 features, 2 labels", ""},
		{"g.npz", "holes.csv", "", "4 nodes, 3 edges, 3 features, 0 labels", "holes get the mean"},
		{"e.csv", "same.csv", "", "4 nodes, 3 edges, 0 features, 0 labels", "are left out"},
		{"", "f.csv", "l.csv", "4 nodes, 3 edges, 2 features, 2 labels", "joined to the 1 nearest"}, // by cosine: ann and bob, cy and bob, dan and ann
		{"buddies.csv", "", "", "4 nodes, 2 edges, 0 features, 0 labels", "buddies.csv:1: "},
		{"g.mtx", "four.npy", "", "", "four.npy: wrong size: 4 rows for 3 nodes"},
		{"friends.xlsx", "", "", "", "friends.xlsx: wrong format"},
		{"word.csv", "", "", "", "word.csv:1: malformed"},
		{"e.csv", "f.csv", "m.csv", "", "m.csv:1:1: bad node ids"},
	} {
		found, said := byCommand(t, command, c.edges, c.features, c.labels)
		if found != c.found || !strings.Contains(said, c.said) || c.said == "" && said != "" {
			t.Errorf("%s %s %s: the command finds %q and says %q, want %q and %q", c.edges, c.features, c.labels, found, said, c.found, c.said)
		}
		for door, ask := range map[string]func(*testing.T, string, string, string) (string, string){"service": byService, "page": byPage} {
			got, text := ask(t, c.edges, c.features, c.labels)
			if got != found || !strings.HasPrefix(said, text) || text == "" && said != "" { // the command names options, too
				t.Errorf("%s %s %s: the %s finds %q and says %q, and the command %q and %q", c.edges, c.features, c.labels, door, got, text, found, said)
			}
		}
	}
}

func foundIn(nodes, edges, features, labels int) string {
	return fmt.Sprintf("%d nodes, %d edges, %d features, %d labels", nodes, edges, features, labels)
}

// byCommand is what "coles info" finds, and says on standard error.
func byCommand(t *testing.T, command, edges, features, labels string) (found, said string) {
	t.Helper()
	args := []string{"info", "-json"}
	for _, of := range [][]string{{edges}, {"-features", features}, {"-labels", labels}} {
		if of[len(of)-1] != "" {
			args = append(args, of...)
		}
	}
	c := exec.CommandContext(t.Context(), command, args...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	failed := c.Run() != nil
	said = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(stderr.String()), "coles: "), "warning: ")
	if failed {
		return "", said
	}
	var about struct {
		Graph    struct{ Nodes, Edges int }
		Features struct{ Columns int }
		Labels   struct{ Labelled int }
	}
	testkit.Check(t, json.Unmarshal(stdout.Bytes(), &about))
	return foundIn(about.Graph.Nodes, about.Graph.Edges, about.Features.Columns, about.Labels.Labelled), said
}

// byService is what the service finds, and logs.
func byService(t *testing.T, edges, features, labels string) (found, said string) {
	t.Helper()
	var logged bytes.Buffer
	d, _, err := source{graph: edges, features: features, labels: labels, log: log.New(&logged, "", 0)}.files(t.Context())
	if err != nil {
		return "", task.NoteOf(err).Text
	}
	known := slices.DeleteFunc(task.Known(d.Dataset, d.Graph.Nodes()), func(l int) bool { return l < 0 })
	return foundIn(d.Graph.Nodes(), d.Graph.Report().Edges, d.Columns(), len(known)), strings.TrimSpace(logged.String())
}

// byPage is what the page finds, and warns of.
func byPage(t *testing.T, edges, features, labels string) (found, said string) {
	t.Helper()
	files := map[string]browser.File{}
	for part, name := range map[string]string{"edges": edges, "features": features, "labels": labels} {
		if name != "" {
			files[part] = browser.File{Name: name, Data: testkit.Must(os.ReadFile(name))}
		}
	}
	var v browser.View
	v.Answer(t.Context(), browser.Request{Files: files}, func(message any) {
		switch m := message.(type) {
		case browser.Failure:
			found, said = "", m.Error
		case browser.Warning:
			said += m.Warning
		case browser.Graph:
			known := slices.DeleteFunc(slices.Clone(m.Labels), func(l int) bool { return l < 0 })
			found = strings.NewReplacer("no features", "0 features").Replace(m.Graph) + fmt.Sprintf(", %d labels", len(known))
		}
	})
	return found, said
}
