package main

import (
	"encoding/json"
	"math"
	"net/http/httptest"
	"strings"
	"testing"

	"coles/internal/testkit"
)

// A node is near its neighbours' kind at once and nowhere when it is gone.
func TestNodesComeAndGo(t *testing.T) {
	s := testkit.Must(begin(t.Context()))
	ask := func(method, path, body string, status int, answer any) {
		t.Helper()
		w := httptest.NewRecorder()
		s.handler().ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
		testkit.WantSame(t, method+" "+path+": "+w.Body.String(), w.Code, status)
		if status == 200 {
			testkit.Check(t, json.Unmarshal(w.Body.Bytes(), answer))
		}
	}
	var vector []float64
	var near map[string]float64
	var update struct{ Moved []int }
	const kim = `{"id": "kim", "features": [0.5, 1], "neighbours": ["7"]}`
	ask("POST", "/nodes", kim, 200, &vector)
	ask("GET", "/nodes/kim", "", 200, &near)
	testkit.WantSame(t, "number of nearest nodes", len(near), 10)
	for id, cosine := range near {
		row, _ := s.graph.Row(id)
		y := testkit.Must(s.graph.Embed(t.Context(), []int{row})).RawRowView(0)
		var dot, left, right float64
		for k, v := range vector {
			dot, left, right = dot+v*y[k], left+v*v, right+y[k]*y[k]
		}
		if want := dot / math.Sqrt(left*right); math.Abs(cosine-want) > 1e-12 {
			t.Errorf("cosine of kim and %s: %v, want %v", id, cosine, want)
		}
	}
	ask("POST", "/nodes", kim, 400, nil) // there is one
	ask("POST", "/nodes", `{"id": "lea", "neighbours": ["nobody"]}`, 400, nil)
	ask("DELETE", "/nodes/3", "", 200, &update)
	ask("GET", "/nodes/3", "", 400, nil)
	ask("GET", "/nodes/kim", "", 200, &near)
	testkit.WantSame(t, "number of nodes", s.graph.Nodes(), 1000)
}
