package setting

import "strings"

// Plain is the text of an error for people who do not program. It is without the names of packages, so that it begins
// with a file and line where there are such.
func Plain(text string) string {
	for _, name := range []string{"coles: ", "gnn: ", "dataset: ", "table: ", "eval: ", "live: ", "json: "} {
		text = strings.ReplaceAll(strings.TrimPrefix(text, name), ": "+name, ": ")
	}
	return text
}
