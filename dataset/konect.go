package dataset

import (
	"bufio"
	"io"
	"regexp"
	"strings"
)

// konect is the first line of a file of KONECT: whether the ends are of two kinds, and what stands behind them.
var konect = regexp.MustCompile(`^%\s*(sym|asym|bip)\s+(\w+)\s*\r?\n`)

// asKONECT sets the options that the first line of a file of KONECT stands for, where nobody has said otherwise. Behind
// the ends come a weight, unless there is none, and a time.
func (l *edgeFiles) asKONECT(r io.Reader, opts *EdgeListOptions) io.Reader {
	begun := bufio.NewReaderSize(r, konectHead)
	head, _ := begun.Peek(konectHead) // an error is for the reader
	says := konect.FindSubmatch(head)
	if says == nil {
		return begun
	}
	opts.Bipartite = opts.Bipartite || string(says[1]) == "bip"
	fields := 0
	for line := range strings.Lines(string(head)) {
		if fields = len(strings.Fields(line)); line[0] != '%' {
			break
		}
	}
	if opts.Columns != nil || fields < 3 {
		return begun
	}
	if opts.Columns = []int{1, 2, 3}; string(says[2]) == "unweighted" {
		opts.Columns = opts.Columns[:2]
	}
	if fields > 3 {
		l.say(l.edgesFile, 0, nil, "a file of KONECT: the fourth column, times, is not read")
	}
	return begun
}

const konectHead = 1 << 10
