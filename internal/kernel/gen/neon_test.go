package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// textOf is the text of a function for arm64, line by line.
func textOf(t *testing.T, file, function string) []string {
	t.Helper()
	_, text, found := bytes.Cut(files()[file], []byte("TEXT ·"+function+"(SB)"))
	if !found {
		t.Fatalf("%s has no %s", file, function)
	}
	text, _, _ = bytes.Cut(text, []byte("\nTEXT "))
	return strings.Split(string(text), "\n")
}

// busiest is the largest share of multiply-adds on full vectors among the instructions of a loop that holds
// no other.
func busiest(lines []string, full string) float64 {
	multiply := regexp.MustCompile(`(^VFMLA .*\.` + full + `$|// fmla v\d+\.(4s|2d))`)
	begin := make(map[string]int) // of what stands behind a label
	best, inner := 0.0, 0
	for end, line := range lines {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		last := fields[len(fields)-1]
		if label, ok := strings.CutSuffix(last, ":"); ok {
			begin[label] = end
		}
		from, back := begin[last]
		if !back || from < inner {
			continue
		}
		inner = end
		adds, all := 0, 0
		for _, body := range lines[from+1 : end+1] {
			if !strings.HasSuffix(body, ":") {
				all++
			}
			if multiply.MatchString(strings.TrimSpace(body)) {
				adds++
			}
		}
		best = max(best, float64(adds)/float64(all))
	}
	return best
}

// The shares are measured in the loops that do most of the work.
func TestMostOfALoopIsArithmetic(t *testing.T) {
	for bits, full := range map[string]string{"32": "S4", "64": "D2"} {
		file := "float" + bits + "_neon_arm64.s"
		for function, least := range map[string]float64{"tileFloat" + bits + "NEON": 0.8, "spmmFloat" + bits + "NEON": 0.4} {
			share := busiest(textOf(t, file, function), full)
			t.Logf("%s: %.0f %%", function, 100*share)
			if share < least {
				t.Errorf("%s: %.0f %% of the instructions multiply and add, want %.0f", function, 100*share, 100*least)
			}
		}
	}
}

// An instruction that Go's assembler lacks is written as a word, and means the comment next to it.
func TestWordsAreTheInstructionsBesideThem(t *testing.T) {
	var words, beside []string
	for name, text := range files() {
		if !strings.HasSuffix(name, "_arm64.s") {
			continue
		}
		for _, m := range regexp.MustCompile(`(WORD .*) // (.*)`).FindAllStringSubmatch(string(text), -1) {
			words, beside = append(words, m[1]), append(beside, m[2])
		}
	}
	if len(beside) == 0 {
		t.Fatal("there are no words")
	}
	dir := t.TempDir()
	source, object := filepath.Join(dir, "words.s"), filepath.Join(dir, "words.o")
	const noSplit = 4 // or the function begins with more
	text := fmt.Sprintf("TEXT ·words(SB), %d, $0-0\n%s\n", noSplit, strings.Join(words, "\n"))
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	tool(t, "asm", "-p", "words", "-o", object, source)
	read := regexp.MustCompile(`\.s:(\d+)\t.* // (.*?)\s*\n`).FindAllStringSubmatch(tool(t, "objdump", "-gnu", object), -1)
	if len(read) != len(beside) {
		t.Fatalf("%d instructions for %d words", len(read), len(beside))
	}
	for k, m := range read {
		if m[1] != strconv.Itoa(k+2) || m[2] != beside[k] {
			t.Errorf("line %s: %s, %s is beside %s", m[1], words[k], beside[k], m[2])
		}
	}
}

// tool is what one of Go's tools for arm64 says.
func tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"tool", name}, args...)...)
	if name == "asm" {
		cmd.Env = append(os.Environ(), "GOARCH=arm64")
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go tool %s: %v: %s", name, err, out)
	}
	return string(out)
}

// Darwin keeps R18 for itself.
func TestNoFunctionTakesR18(t *testing.T) {
	for name, text := range files() {
		if strings.HasSuffix(name, "_arm64.s") && regexp.MustCompile(`\bR18\b`).Match(text) {
			t.Errorf("%s uses R18", name)
		}
	}
}
