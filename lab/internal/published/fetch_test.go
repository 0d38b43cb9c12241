package published

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/testkit"
)

const content = "the published bytes"

func sum(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }

// serve answers every request with handle and counts them.
func serve(t *testing.T, handle http.HandlerFunc) (url string, requests *int) {
	t.Helper()
	requests = new(int)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*requests++
		handle(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, requests
}

func TestFetchOnceThenFromTheCache(t *testing.T) {
	url, requests := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, content) })
	src := remoteFile{Name: "x.bin", URL: url + "/x.bin", SHA256: strings.ToUpper(sum(content)), Size: int64(len(content))}
	cache := filepath.Join(t.TempDir(), "made", "as", "needed")
	for range 2 {
		path := testkit.Must(fetchFile(t.Context(), src, cache))
		testkit.WantSame(t, "the path", path, filepath.Join(cache, "x.bin"))
		testkit.WantSame(t, path, string(testkit.Must(os.ReadFile(path))), content)
	}
	testkit.WantSame(t, "requests", *requests, 1)
	// A file of another content is replaced.
	testkit.Check(t, os.WriteFile(filepath.Join(cache, "x.bin"), []byte("spoilt"), 0o666))
	testkit.Must(fetchFile(t.Context(), src, cache))
	testkit.WantSame(t, "requests for a spoilt file", *requests, 2)
}

func TestFetchFailures(t *testing.T) {
	good := remoteFile{Name: "out", SHA256: sum(content), Size: int64(len(content))}
	for _, c := range []struct {
		name   string
		handle http.HandlerFunc
		src    remoteFile
		cause  error
		place  string
	}{
		{"another content", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "a captive portal") }, good, coles.ErrChecksum, "SHA-256"},
		{"cut short", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "19")
			fmt.Fprint(w, content[:7])
		}, good, coles.ErrChecksum, "7 bytes"},
		{"ends early, no length", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, content[:7]) }, good, coles.ErrChecksum, "7 of 19 bytes"},
		{"longer than it may be", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, content, content) }, good, coles.ErrTooLarge, "19 bytes"},
		{"not there", http.NotFound, good, ErrServer, "404"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, before := range []string{"", "something else"} {
				url, _ := serve(t, c.handle)
				dir := t.TempDir()
				if before != "" {
					testkit.Check(t, os.WriteFile(filepath.Join(dir, "out"), []byte(before), 0o666))
				}
				c.src.URL = url + "/file"
				_, err := fetchFile(t.Context(), c.src, dir)
				wantError(t, err, c.cause, c.place)
				wantError(t, err, c.cause, "put it at "+filepath.Join(dir, "out"))
				wantError(t, err, c.cause, c.src.URL)
				if before != "" {
					wantError(t, err, coles.ErrChecksum, "another content")
				}
				wantFiles(t, dir, before)
			}
		})
	}
}

func TestFetchOffline(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	url := s.URL
	s.Close() // nobody listens there now
	dir := t.TempDir()
	_, err := planetoid(t.Context(), url+"/", "cora", dir)
	if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "ind.cora.x")) {
		t.Fatalf("%v does not say where the file goes", err)
	}
	wantFiles(t, dir, "")
}

func TestFetchCancelled(t *testing.T) {
	started, release := make(chan bool), make(chan bool)
	url, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, content[:3])
		w.(http.Flusher).Flush()
		close(started)
		<-release
	})
	defer close(release)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	dir := t.TempDir()
	// The rest comes only once this has returned.
	_, err := fetchFile(ctx, remoteFile{Name: "out", URL: url, SHA256: sum(content), Size: int64(len(content))}, dir)
	wantError(t, err, context.Canceled, "out")
	wantFiles(t, dir, "")
}

func TestFetchOfAnUnknownName(t *testing.T) {
	_, err := Planetoid(t.Context(), "nell", t.TempDir())
	wantError(t, err, coles.ErrSetting, "citeseer, cora, pubmed")
}

// The sums in this package belong to the real files, which a local server hands out here; the
// cache then reads as a dataset.
func TestFetchPlanetoid(t *testing.T) {
	dir := testkit.Shared(t, "data", "planetoid")
	url, requests := serve(t, http.FileServer(http.Dir(dir)).ServeHTTP)
	cache := t.TempDir()
	for _, name := range []string{"cora", "citeseer", "pubmed"} {
		testkit.WantSame(t, name, testkit.Must(planetoid(t.Context(), url+"/", name, cache)), cache)
	}
	testkit.WantSame(t, "requests", *requests, 24)
	testkit.WantSame(t, "nodes", testkit.Must(dataset.OpenPlanetoid(cache, "cora")).Nodes(), 2708)
	// With every file in place the public door needs no network.
	testkit.Must(Planetoid(t.Context(), "pubmed", cache))
}

// wantFiles checks that a folder holds a file of that content, or none for "".
func wantFiles(t *testing.T, dir, content string) {
	t.Helper()
	got, want := "", ""
	for _, file := range testkit.Must(os.ReadDir(dir)) {
		got += file.Name() + ": " + string(testkit.Must(os.ReadFile(filepath.Join(dir, file.Name()))))
	}
	if content != "" {
		want = "out: " + content
	}
	testkit.WantSame(t, dir, got, want)
}
