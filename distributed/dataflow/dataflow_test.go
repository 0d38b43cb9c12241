package dataflow

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"google.golang.org/api/dataflow/v1b3"
	"google.golang.org/api/option"
)

// Of the jobs that run, on two pages, the one of the name is cancelled, and no other.
func TestCancel(t *testing.T) {
	const jobs = "/v1b3/projects/p/locations/r/jobs"
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = append(asked, r.Method+" "+r.URL.Path+" "+strings.TrimSpace(string(body)))
		switch {
		case r.Method == http.MethodPut:
			fmt.Fprint(w, `{}`)
		case r.URL.Query().Get("pageToken") == "":
			fmt.Fprint(w, `{"jobs": [{"id": "1", "name": "coles-hops-other"}], "nextPageToken": "2"}`)
		default:
			fmt.Fprint(w, `{"jobs": [{"id": "7", "name": "coles-hops-mine"}]}`)
		}
	}))
	defer server.Close()
	before := connect
	defer func() { connect = before }()
	connect = func(ctx context.Context) (*dataflow.Service, error) {
		return dataflow.NewService(ctx, option.WithoutAuthentication(), option.WithEndpoint(server.URL))
	}
	for name, value := range map[string]string{"project": "p", "region": "r"} {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := Cancel(t.Context(), "coles-hops-mine"); err != nil {
		t.Fatal(err)
	}
	want := []string{"GET " + jobs + " ", "GET " + jobs + " ", "PUT " + jobs + `/7 {"requestedState":"JOB_STATE_CANCELLED"}`}
	if !slices.Equal(asked, want) {
		t.Errorf("requests %q\nwant %q", asked, want)
	}
	if err := Cancel(t.Context(), "coles-hops-gone"); err == nil || !strings.Contains(err.Error(), "coles-hops-gone") {
		t.Errorf("a job that does not run: %v", err)
	}
}
