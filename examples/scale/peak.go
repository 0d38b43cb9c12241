package main

// peak says what the figure of peak memory is, which not every system has alike.
type peak string

const (
	peakOfFit     peak = "the largest resident memory during Fit, graph and mapped features included"
	peakOfProcess peak = "the largest resident memory of the process, generation of the graph and mapped features included"
	peakOfHeap    peak = "the memory of the Go runtime after Fit, garbage included and mapped features not"
)
