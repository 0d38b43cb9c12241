package edgetext

import (
	"bufio"
	"io"
	"slices"
	"strings"
)

// asKONECT sets the options that the first line of a file of KONECT stands for, where nobody has said otherwise, such as
// "% bip weighted": whether the ends are of two kinds, and whether there are weights behind them. Times may follow.
func (l *edgeFiles) asKONECT(r io.Reader, opts *options) io.Reader {
	const looked = 1 << 10
	begun := bufio.NewReaderSize(r, looked)
	if first, _ := begun.Peek(1); string(first) != "%" { // an error is for the reader
		return begun
	}
	head, _ := begun.Peek(looked)
	lines := strings.Split(string(head), "\n")
	says := strings.Fields(lines[0][1:])
	if len(lines) < 2 || len(says) != 2 || !slices.Contains([]string{"sym", "asym", "bip"}, says[0]) {
		return begun
	}
	opts.Bipartite = opts.Bipartite || says[0] == "bip"
	k := slices.IndexFunc(lines, func(line string) bool { return !strings.HasPrefix(line, "%") })
	fields := len(strings.Fields(lines[max(k, 0)]))
	if opts.Columns != nil || fields < 3 {
		return begun
	}
	if opts.Columns = []int{1, 2, 3}; says[1] == "unweighted" {
		opts.Columns = opts.Columns[:2]
	}
	if fields > 3 {
		l.say(l.edgesFile, 0, nil, "a file of KONECT: the fourth column, times, is not read")
	}
	return begun
}
