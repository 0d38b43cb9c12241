package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"gonum.org/v1/gonum/mat"
)

// handler serves every path. A reload goes on until it is done or ctx ends, even if its client, or a proxy in between, does
// not wait: the files have changed all the same. There is one at a time, so clients that leave cannot pile up reloads.
func (s *service) handler(ctx context.Context) http.Handler {
	mux, methods := http.NewServeMux(), map[string][]string{}
	figures, seconds := s.measured()
	for _, one := range []struct {
		method, path string
		handler      handler
	}{
		{"POST", "/nodes", told(s, func(v []toldNode) batch { return batch{Nodes: v} })},
		{"DELETE", "/nodes", told(s, func(v []string) batch { return batch{RemoveNodes: v} })},
		{"POST", "/edges", told(s, func(v []toldEdge) batch { return batch{Edges: v} })},
		{"DELETE", "/edges", told(s, func(v []toldEdge) batch {
			for k := range v {
				v[k].Weight = new(float64)
			}
			return batch{Edges: v}
		})},
		{"PUT", "/features", told(s, func(v map[string]map[string]any) batch { return batch{Features: v} })},
		{"GET", "/similar", s.similar},
		{"GET", "/links", s.links},
		{"POST", "/embed", s.embed},
		{"GET", "/predict", s.predict},
		{"POST", "/predict", s.predict},
		{"GET", "/healthz", s.health},
		{"POST", "/reload", func(w http.ResponseWriter, r *http.Request) (any, error) {
			if !s.one.TryLock() {
				return nil, failure{http.StatusConflict, errors.New("a reload is under way; ask again when it is done")}
			}
			defer s.one.Unlock()
			http.NewResponseController(w).SetWriteDeadline(time.Time{}) // a fit may take minutes
			if err := s.reload(ctx, "request"); err != nil {
				return nil, failure{http.StatusInternalServerError, err}
			}
			return s.health(w, r)
		}},
	} {
		timed := seconds.MustCurryWith(prometheus.Labels{"handler": one.path})
		mux.Handle(one.method+" "+one.path, promhttp.InstrumentHandlerDuration(timed, one.handler))
		methods[one.path] = append(methods[one.path], one.method)
	}
	for path, all := range methods {
		mux.Handle(path, handler(func(w http.ResponseWriter, _ *http.Request) (any, error) {
			w.Header().Set("Allow", strings.Join(all, ", "))
			return nil, failure{http.StatusMethodNotAllowed, fmt.Errorf("%s wants %s", path, strings.Join(all, " or "))}
		}))
	}
	mux.Handle("GET /metrics", promhttp.HandlerFor(figures, promhttp.HandlerOpts{}))
	mux.Handle("/", handler(func(_ http.ResponseWriter, r *http.Request) (any, error) {
		return nil, failure{http.StatusNotFound, fmt.Errorf("no path %q", r.URL.Path)}
	}))
	return s.guarded(mux)
}

func (s *service) health(http.ResponseWriter, *http.Request) (any, error) {
	v, done := s.look()
	defer done()
	return map[string]any{"nodes": v.book.nodes(), "features": len(v.columns), "since": v.since}, nil
}

func (s *service) embed(_ http.ResponseWriter, r *http.Request) (any, error) {
	who, err := readNewcomer(r)
	if err != nil {
		return nil, err
	}
	v, done := s.look()
	defer done()
	y, unknown, err := v.welcome(r.Context(), v.placer, who)
	if err != nil {
		return nil, err
	}
	nearest := []match{}
	if y == nil {
		_, width := v.rows.Dims()
		y = mat.NewDense(1, width, nil)
	} else if mat.Norm(y, math.Inf(1)) > v.rounding {
		if nearest, err = v.nearest(r.Context(), y.RawRowView(0), who.K, ""); err != nil {
			return nil, err
		}
	}
	return map[string]any{"vector": y.RawRowView(0), "nearest": nearest, "unknown": unknown}, nil
}

// told reads the changes of a request, in the form T, and takes them as a batch.
func told[T any](s *service, as func(T) batch) handler {
	return func(_ http.ResponseWriter, r *http.Request) (any, error) {
		if s.journal == nil {
			return nil, errNotKept
		}
		var changes T
		if err := decode(r, &changes); err != nil {
			return nil, err
		}
		c := as(changes)
		if n := len(c.Nodes) + len(c.Edges) + len(c.Features) + len(c.RemoveNodes); n < 1 || n > mostTold {
			return nil, fmt.Errorf("body: %d changes, want 1 to %d", n, mostTold)
		}
		return s.tell(r.Context(), c)
	}
}

// measured has the figures of a service, and a histogram of its requests.
func (s *service) measured() (*prometheus.Registry, *prometheus.HistogramVec) {
	all, seconds := prometheus.NewRegistry(), prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "coles_request_seconds", Help: "Time of a request.", Buckets: []float64{.001, .002, .005, .01, .02, .05, .1, .5, 2, 10},
	}, []string{"handler", "code"})
	all.MustRegister(seconds)
	gauge := func(name, help string, value func(v *view) float64) {
		all.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			v, done := s.look()
			defer done()
			return value(v)
		}))
	}
	gauge("coles_fitted_nodes", "Nodes of the last fit.", func(v *view) float64 { return float64(v.Graph.Nodes()) })
	gauge("coles_fitted_timestamp_seconds", "When the last fit was there.", func(v *view) float64 { return float64(v.since.Unix()) })
	if s.journal != nil {
		gauge("coles_newcomers", "Nodes that the last fit has not seen.", func(v *view) float64 { return float64(len(v.newcomers)) })
		gauge("coles_gone_nodes", "Nodes of the last fit that are gone.", func(v *view) float64 { return float64(len(v.hidden)) })
		gauge("coles_changes", "Batches since the last fit.", func(v *view) float64 { return float64(v.changes) })
		gauge("coles_fits", "Fits since the start.", func(v *view) float64 { return float64(v.fits) })
		gauge("coles_drift_radians", "How far the last fit turned P.", func(v *view) float64 { return v.drift })
	}
	return all, seconds
}
