package archive

import (
	"cmp"
	"runtime/debug"
)

// ModuleVersion is the version of this module in the program that runs: the version of its
// requirement or replacement, such as v0.3.0, or "(devel)" for a checkout without a version.
func ModuleVersion() string {
	version := ""
	if b, ok := debug.ReadBuildInfo(); ok {
		for _, m := range append(b.Deps, &b.Main) {
			if m.Path == "coles" {
				version = cmp.Or(m.Replace, m).Version
			}
		}
	}
	return cmp.Or(version, "(devel)")
}
