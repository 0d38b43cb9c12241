package coles_test

import (
	"errors"
	"strings"
	"testing"

	"coles"
)

func TestSolverNames(t *testing.T) {
	for s := coles.SolverAuto; s <= coles.SolverKrylov; s++ {
		var back coles.Solver
		if err := back.UnmarshalText(must(s.MarshalText())); err != nil || back != s {
			t.Errorf("%v comes back as %v, %v", s, back, err)
		}
	}
	var s coles.Solver
	wantError(t, s.UnmarshalText([]byte("quantum")), coles.ErrSetting)
	_, err := coles.Solver(77).MarshalText()
	wantError(t, err, coles.ErrSetting)
	if got := coles.Solver(77).String(); !strings.Contains(got, "77") {
		t.Errorf("an unknown solver is called %q", got)
	}
}

// Several bad settings are reported at once.
func TestAllBadSettingsAreReported(t *testing.T) {
	g, words, _ := small(121)
	_, err := coles.Fit(ctx, g, words, coles.WithEta(3), coles.WithKappa(-1), coles.WithDim(-2), coles.WithNorm(0))
	for _, want := range []string{"η′ = 3", "κ = -1", "d′ = -2", "r = 0"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name %s", err, want)
		}
	}
	if !errors.Is(err, coles.ErrSetting) || !errors.Is(err, coles.ErrDim) {
		t.Errorf("error %v does not wrap both ErrSetting and ErrDim", err)
	}
}

func TestALaterOptionMendsAnEarlierOne(t *testing.T) {
	g, words, _ := small(121)
	for _, opts := range [][]coles.Option{
		{coles.WithDim(0), coles.WithDim(2)},
		{coles.WithDim(-1), coles.WithSettings(coles.DefaultSettings())},
	} {
		must(coles.Fit(ctx, g, words, opts...))
	}
	_, err := coles.Fit(ctx, g, words, coles.WithDim(2), coles.WithDim(0))
	wantError(t, err, coles.ErrDim)
}

func TestShareOptionsReplaceEachOther(t *testing.T) {
	g, words, _ := small(122)
	share := func(opts ...coles.Option) float64 {
		return must(coles.Fit(ctx, g, words, append(opts, coles.WithDim(3))...)).Report().Share
	}
	rho := must(coles.Smoothness(ctx, g, coles.S2GCSum(8), 1))
	auto := min(2*rho*rho, 0.4) // the rule that WithAutoCovarianceShare states
	if got := share(coles.WithCovarianceShare(0.1), coles.WithAutoCovarianceShare()); got != auto {
		t.Errorf("automatic share is %v, want %v", got, auto)
	}
	if got := share(coles.WithAutoCovarianceShare(), coles.WithCovarianceShare(0.1)); got != 0.1 {
		t.Errorf("share is %v, want 0.1", got)
	}
	both := coles.DefaultSettings()
	both.Share, both.AutoShare = 0.1, true
	_, err := coles.Fit(ctx, g, words, coles.WithSettings(both))
	wantError(t, err, coles.ErrSetting)
}

func TestReportSaysWhatWasDone(t *testing.T) {
	g, words, _ := small(123)
	with := must(coles.Fit(ctx, g, words)).Report()
	without := must(coles.Fit(ctx, g, nil, coles.WithDim(4))).Report()
	for _, c := range []struct {
		text string
		want []string
	}{
		{with.String(), []string{"120 nodes", "features: 40, prepared by tfidf", "40 columns by the direct solver"}},
		{without.String(), []string{"features: none", "Laplacian Eigenmaps", "left out", "4 columns by the krylov solver"}},
	} {
		for _, w := range c.want {
			if !strings.Contains(c.text, w) {
				t.Errorf("report does not say %q:\n%s", w, c.text)
			}
		}
	}
}

func TestConvergenceErrorSaysHowFar(t *testing.T) {
	var err error = &coles.ConvergenceError{Wanted: 10, Converged: 7, Residual: 0.5}
	if want := "7 of 10"; !strings.Contains(err.Error(), want) {
		t.Errorf("%q does not say %q", err, want)
	}
}
