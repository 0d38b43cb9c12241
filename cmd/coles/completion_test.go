package main

import (
	"encoding"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coles"
)

// offered are the words that may follow an option of embed.
func offered(t *testing.T, option string) (words []string) {
	for line := range strings.Lines(must(t, "", "embed", "-"+option, "--generate-shell-completion")) {
		words = append(words, strings.TrimSpace(line))
	}
	return words
}

// Every word that is offered is the name of a setting, and all names of what has no numbers are.
func TestChoicesAreThoseOfTheLibrary(t *testing.T) {
	numbers := strings.NewReplacer("HOPS", "2", "ALPHA", "0.5", "PER-NODE", "3", "PROBABILITY", "0.5", "A0,A1,…", "1,2", "T", "1.5")
	for _, option := range []string{"filter", "negatives", "precision", "for", "kind", "preparation"} {
		for _, word := range offered(t, option) {
			must(t, "", "embed", "-print-settings", "-"+option, numbers.Replace(word))
		}
	}
	for option, value := range map[string]func(k int) encoding.TextMarshaler{
		"kind":        func(k int) encoding.TextMarshaler { return coles.Kind(k) },
		"preparation": func(k int) encoding.TextMarshaler { return coles.Preparation(k) },
		"precision":   func(k int) encoding.TextMarshaler { return coles.Precision(k) },
	} {
		words := offered(t, option)
		for k := range len(words) + 1 {
			name, err := value(k).MarshalText()
			if (err == nil) != (k < len(words)) || err == nil && !slices.Contains(words, string(name)) {
				t.Errorf("-%s: %q (%v) is value %d of %q", option, name, err, k, words)
			}
		}
	}
}

// A bash without the package bash-completion completes by the script, by names of files where the
// program prints nothing.
func TestCompletionInBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	program := filepath.Join(folder(t, map[string]string{"a program": "#!" + bash + "\n[ \"$*\" = 'embed cora.npz -fi --generate-shell-completion' ] && printf '%s\\n' '-filter:what it is' '-fine'\n" +
		"[ \"$*\" = 'embed -filter --generate-shell-completion' ] && printf '%s\\n' 's2gc:HOPS,ALPHA' sgc appnp\n"}), "a program")
	script := must(t, "", "completion", "bash") + `
chmod +x "$1"
COMP_WORDS=(coles embed cora.npz -fi) COMP_CWORD=3; _coles "$1"; echo "${COMPREPLY[*]}"
COMP_WORDS=(coles embed -filter s) COMP_CWORD=3; _coles "$1"; echo "${COMPREPLY[*]}"
complete -p coles`
	command := exec.Command(bash, "--norc", "-c", script, "test", program)
	command.Env = append(os.Environ(), "LC_ALL=C") // it complains of a language that the machine does not have
	out, err := command.CombinedOutput()
	if want := "-filter -fine\ns2gc sgc\ncomplete -o bashdefault -o default -F _coles coles\n"; err != nil || string(out) != want {
		t.Errorf("bash says %q, %v; want %q", out, err, want)
	}
}
