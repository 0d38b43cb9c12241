package main

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// A meter counts requests and has the figures of a service.
type meter struct {
	registry *prometheus.Registry
	seconds  *prometheus.HistogramVec
}

func newMeter(s *service) *meter {
	m := &meter{prometheus.NewRegistry(), prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "coles_request_seconds", Help: "Time of a request.", Buckets: []float64{.001, .002, .005, .01, .02, .05, .1, .5, 2, 10},
	}, []string{"handler", "code"})}
	m.registry.MustRegister(m.seconds)
	gauge := func(name, help string, value func() float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
	}
	read := func(value func(v *view) float64) func() float64 {
		return func() float64 {
			v, done := s.look()
			defer done()
			return value(v)
		}
	}
	gauge("coles_fitted_nodes", "Nodes of the last fit.", read(func(v *view) float64 { return float64(v.Graph.Nodes()) }))
	gauge("coles_fitted_timestamp_seconds", "When the last fit was there.", read(func(v *view) float64 { return float64(v.since.Unix()) }))
	if s.journal != nil {
		gauge("coles_newcomers", "Nodes that the last fit has not seen.", read(func(v *view) float64 { return float64(len(v.newcomers.place)) }))
		gauge("coles_gone_nodes", "Nodes of the last fit that are gone.", read(func(v *view) float64 { return float64(len(v.hidden)) }))
		gauge("coles_changes", "Batches since the last fit.", read(func(v *view) float64 { return float64(v.changes) }))
		gauge("coles_fits", "Fits since the start.", read(func(v *view) float64 { return float64(v.fits) }))
		gauge("coles_drift_radians", "How far the last fit turned P.", read(func(v *view) float64 { return v.drift }))
	}
	return m
}

// timed has the requests of a path measured.
func (m *meter) timed(path string, h http.Handler) http.Handler {
	return promhttp.InstrumentHandlerDuration(m.seconds.MustCurryWith(prometheus.Labels{"handler": path}), h)
}

func (m *meter) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
