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

// Options come in the dashes that were typed, values where there is a choice.
func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"embed -fi":             "-filter",
		"embed --fi":            "--filter",
		"embed cora.npz -o y -": "-from -features -labels -ids",
		"train -pre":            "-preset",
		"embed -filter":         "auto s2gcsum s2gc sgc appnp heat polynomial",
		"embed -negatives":      "expected-degree expected-uniform uniform degree erdos-renyi none",
		"embed -for":            "classification clustering links",
		"cluster --kind":        "auto graph features",
		"info -preparation":     "auto undamped none tfidf balanced row-l2 row-l1 standardize",
		"eval -deg":             "-degree-share",
		"similar -by":           "cosine dot",
		"plot -by":              "tsne pca",
		"convert a b -to":       "npz edges matrixmarket csr npy tsv csv jsonl word2vec word2vec-binary",
		"info --from":           "npz planetoid edges adjacency matrixmarket csr pairs npy tsv csv jsonl json word2vec word2vec-binary",
		"train -preset":         "coles-gcn stiefel linear augmented",
		"embed -features":       "", // the shell has the names of files
		"embed -json":           "",
	} {
		var words []string
		for _, l := range strings.Split(strings.TrimSpace(must(t, "", append(strings.Fields(line), "--generate-shell-completion")...)), "\n") {
			word, _, _ := strings.Cut(l, ":")
			words = append(words, word)
		}
		if got := strings.Join(words, " "); !strings.HasPrefix(got+" ", want+" ") || want == "" && got != "" {
			t.Errorf("%q is completed by %q, want %q", line, got, want)
		}
	}
}

// Every word that is offered is the name of a setting, and all names of what has no numbers are.
func TestChoicesAreThoseOfTheLibrary(t *testing.T) {
	numbers := strings.NewReplacer("HOPS", "2", "ALPHA", "0.5", "PER-NODE", "3", "PROBABILITY", "0.5", "A0,A1,…", "1,2", "T", "1.5")
	for _, option := range []string{"filter", "negatives", "precision", "for", "kind", "preparation"} {
		for _, word := range choices("embed", option) {
			must(t, "", "embed", "-print-settings", "-"+option, numbers.Replace(word))
		}
	}
	for option, value := range map[string]func(k int) encoding.TextMarshaler{
		"kind":        func(k int) encoding.TextMarshaler { return coles.Kind(k) },
		"preparation": func(k int) encoding.TextMarshaler { return coles.Preparation(k) },
		"precision":   func(k int) encoding.TextMarshaler { return coles.Precision(k) },
	} {
		offered := choices("embed", option)
		for k := range len(offered) + 1 {
			name, err := value(k).MarshalText()
			if (err == nil) != (k < len(offered)) || err == nil && !slices.Contains(offered, string(name)) {
				t.Errorf("-%s: %q (%v) is value %d of %q", option, name, err, k, offered)
			}
		}
	}
	if len(choices("embed", "filter")) != 7 || choices("embed", "dim") != nil {
		t.Error("choices are missing, or offered where there are none")
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
