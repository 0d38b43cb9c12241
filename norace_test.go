//go:build !race

package coles_test

const (
	raceEnabled  = false
	raceSlowdown = 1
)
