package setting

import (
	"fmt"
	"strings"
)

// Count is so many of something, by its plural: "1 line", "2 lines".
func Count(n int, what string) string {
	if n == 1 {
		what = strings.TrimSuffix(what, "s")
	}
	return fmt.Sprintf("%d %s", n, what)
}
