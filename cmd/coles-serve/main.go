// Command coles-serve answers questions about an embedding over HTTP: which nodes are similar to one, and where a node belongs
// that is not in the graph yet, or to which class. Without flags it needs no file: it generates a graph and fits it.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"coles/examples/shared/cli"
)

//go:embed usage.txt
var usage string

// hangup is SIGHUP, which js and wasip1 do not name.
const hangup = syscall.Signal(1)

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := cli.Flags(usage, stderr)
	var from source
	flags.StringVar(&from.graph, "graph", "", "edge list; none: a generated graph of 3,000 nodes")
	flags.StringVar(&from.features, "features", "", "features of the nodes of -graph, or without it rows that are joined to the nearest; none: the graph's own")
	flags.IntVar(&from.knn, "knn", 0, "neighbours of each row of -features without -graph, which newcomers join, too; 0: 10, or a quarter of few rows")
	flags.StringVar(&from.labels, "labels", "", "labels of some nodes of -graph, for /predict")
	flags.StringVar(&from.model, "model", "", "fitted model, as \"coles embed -model\" writes it, or \"coles predict -model\" with what it learnt from labels; none: fits one")
	addr := flags.String("addr", "localhost:8080", "address to listen on")
	dir := flags.String("dir", "", "folder to keep what the service is told in; none: it is told nothing")
	aside := flags.Bool("set-aside", false, "with -dir, start without the lines of the journal that cannot be taken, and keep them in journal.aside")
	hosts := flags.String("host", "", "names that the service is asked for by, besides localhost and that of -addr, as \"a.example,b.example\"")
	tokenFile := flags.String("token-file", "", "file with a word that requests must have, as in \"Authorization: Bearer WORD\"; -addr beyond this machine wants one")
	share := flags.Float64("refit", 0, "with -dir, fit again when so large a share of the graph has changed; 0: at /reload alone")
	if err := cli.Parse(flags, args, nil); err != nil {
		return err
	}
	switch {
	case from.labels != "" && from.graph == "" && from.features == "":
		return errors.New("-labels are those of the nodes of -graph, or of the rows of -features")
	case from.alone() && *dir != "":
		return errors.New("-dir keeps edges, too: name -graph")
	case !(*share >= 0 && *share <= 1) || *share > 0 && *dir == "":
		return fmt.Errorf("-refit %v: want a share, from 0 to 1, and -dir", *share)
	case *aside && *dir == "":
		return errors.New("-set-aside is for the journal of -dir")
	}
	token, err := readToken(*tokenFile)
	if err != nil {
		return err
	}
	at, err := address(*addr, token != nil)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	from.log = log.New(stderr, "", log.LstdFlags)
	s := &service{load: from.load, share: *share, ctx: ctx, log: from.log, hosts: cli.HostsOf(*addr, *hosts), token: token}
	d, f, err := from.files(ctx)
	if err != nil {
		return err
	}
	if *dir != "" {
		if err := s.keep(ctx, *dir, *aside, d, f); err != nil {
			return err
		}
		defer func() {
			s.writing.Lock()
			s.journal.close()
		}()
	} else {
		first, err := newState(ctx, d, f)
		if err != nil {
			return err
		}
		s.serveState(first)
	}
	listener, err := net.ListenTCP("tcp", at) // now that there are answers
	if err != nil {
		return err
	}
	defer listener.Close()
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, hangup)
	defer signal.Stop(hangups)
	go s.reloadAt(ctx, hangups)
	v, done := s.look()
	fmt.Fprintf(stdout, "%v on http://%v\n", v.Graph.Report(), listener.Addr())
	done()
	return s.serve(ctx, listener)
}

// serve answers until ctx is done, and then the requests that have come.
func (s *service) serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           s.handler(ctx),
		MaxHeaderBytes:    1 << 14,
		ReadHeaderTimeout: patience,
		ReadTimeout:       patience,
		WriteTimeout:      3 * patience, // leaves time to answer that patience has run out
		IdleTimeout:       12 * patience,
	}
	var open sync.WaitGroup
	counts := map[http.ConnState]int{http.StateNew: 1, http.StateClosed: -1}
	server.ConnState = func(_ net.Conn, to http.ConnState) { open.Add(counts[to]) }
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.log.Print("stop: the requests under way are answered")
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*patience)
	defer cancel()
	// A listener that closes resets connections that wait in the kernel. The kernel hands them over in their order: when this
	// one is answered, all before it have been accepted.
	if last, err := new(net.Dialer).DialContext(ctx, "tcp", l.Addr().String()); err == nil {
		io.WriteString(last, "GET / HTTP/1.0\r\n\r\n")
		last.SetReadDeadline(time.Now().Add(patience))
		io.Copy(io.Discard, last)
		last.Close()
	}
	l.Close()
	<-failed
	server.SetKeepAlivesEnabled(false) // and not Shutdown, which drops a request that it has not read yet
	go func() {
		open.Wait()
		cancel()
	}()
	<-ctx.Done()
	s.log.Print("stopped")
	if server.Close(); errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ctx.Err()
	}
	return nil
}
