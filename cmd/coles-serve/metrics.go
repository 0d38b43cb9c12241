package main

import "github.com/prometheus/client_golang/prometheus"

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
		gauge("coles_newcomers", "Nodes that the last fit has not seen.", func(v *view) float64 { return float64(len(v.newcomers.place)) })
		gauge("coles_gone_nodes", "Nodes of the last fit that are gone.", func(v *view) float64 { return float64(len(v.hidden)) })
		gauge("coles_changes", "Batches since the last fit.", func(v *view) float64 { return float64(v.changes) })
		gauge("coles_fits", "Fits since the start.", func(v *view) float64 { return float64(v.fits) })
		gauge("coles_drift_radians", "How far the last fit turned P.", func(v *view) float64 { return v.drift })
	}
	return all, seconds
}
