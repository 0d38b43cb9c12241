package setting

import (
	"fmt"
	"strings"
)

// Count is so many of something, by its plural: "1 line", "2 lines", "1 class", "1 entry".
func Count(n int, what string) string {
	if n == 1 {
		what = strings.TrimSuffix(strings.Replace(strings.Replace(what, "ies", "ys", 1), "sses", "sss", 1), "s")
	}
	return fmt.Sprintf("%d %s", n, what)
}
