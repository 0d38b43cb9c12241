package text

import (
	"regexp"
	"strconv"
	"strings"
)

// IsWord2Vec reports whether text that begins so is word2vec's: the first line is two whole numbers, and the second line has
// as many values as the second number, or more if there is more text. A token that would be a quote or a comment elsewhere is
// GloVe's.
func IsWord2Vec(head []byte, more bool) bool {
	if bareToken.Match(head) {
		return true
	}
	sizes, rest, _ := strings.Cut(string(head), "\n")
	fields := strings.Fields(sizes)
	if len(fields) != 2 {
		return false
	}
	_, err := strconv.ParseUint(fields[0], 10, 63)
	columns, err2 := strconv.ParseUint(fields[1], 10, 31)
	if err != nil || err2 != nil {
		return false
	}
	row, _, ends := strings.Cut(rest, "\n")
	count := len(strings.Fields(row))
	if !ends && more { // it goes on behind what is seen
		return count <= int(columns)+1
	}
	return rest == "" || count == int(columns)+1
}

// bareToken is a line of such a token and numbers.
var bareToken = regexp.MustCompile(`(?m)^["#%](?: -?\d+\.\d+(?:[eE]-?\d+)?){2,}$`)
