// Command browser builds a page that embeds graphs by itself, without installation and without a
// server that computes: the library as WebAssembly in a worker of the browser. It serves the page
// on this machine, or writes its files for a web server. Building needs the go command.
package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"coles/dataset"
	"coles/examples/shared/cli"
	"coles/webmap"
)

//go:embed static
var static embed.FS

const usage = `Usage: browser [flags]

Builds a page that embeds graphs in the browser, and serves it. Run it in the
folder of this module.

Flags:
`

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := cli.Flags(usage, stderr)
	address := flags.String("listen", "localhost:8080", "address to serve at")
	names := flags.String("host", "", "names that the page is asked for by, besides localhost and that of -listen, as \"a.example,b.example\"")
	out := flags.String("o", "", "folder to write the files of the page to, which is then not served")
	if err := cli.Parse(flags, args, nil); err != nil {
		return err
	}
	if *out != "" {
		return build(ctx, *out)
	}
	folder, err := os.MkdirTemp("", "coles-page-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		return err
	}
	defer listener.Close()
	fmt.Fprintln(stderr, "building …")
	if err := build(ctx, folder); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "http://%s\n", listener.Addr())
	hosts, files := cli.HostsOf(*address, *names), http.FileServer(http.Dir(folder))
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := hosts.Check(r); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		files.ServeHTTP(w, r)
	})
	server := &http.Server{Handler: page, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	return context.Cause(ctx)
}

// build writes the files of the page to a folder, which is created where needed.
func build(ctx context.Context, folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	wasm := []string{"GOOS=js", "GOARCH=wasm"}
	root, err := cli.Output(ctx, wasm, "go", "env", "GOROOT")
	if err != nil {
		return err
	}
	// The script has to match the compiler.
	script, err := os.ReadFile(filepath.Join(string(bytes.TrimSpace(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	files := map[string][]byte{"wasm_exec.js": script, "map.js": []byte(webmap.Script), "map.css": []byte(webmap.Style)}
	names, err := fs.Glob(static, "static/*")
	if err != nil {
		return err
	}
	for _, name := range names {
		if files[filepath.Base(name)], err = static.ReadFile(name); err != nil {
			return err
		}
	}
	for name, data := range files {
		err := dataset.WriteFile(filepath.Join(folder, name), func(w io.Writer) error { _, err := w.Write(data); return err })
		if err != nil {
			return err
		}
	}
	module := filepath.Join(folder, "coles.wasm")
	_, err = cli.Output(ctx, wasm, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", module, "coles/examples/browser/page")
	return err
}
