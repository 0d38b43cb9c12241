//go:build !race

package gnn

const raceSlowdown = 1
