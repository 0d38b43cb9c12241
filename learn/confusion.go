package learn

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"coles"
	"coles/internal/contingency"
)

// Confusion counts the predictions of each class for the rows of each class. All its shares are from 0 to 1.
type Confusion struct {
	// Classes are the labels that occur, actual or predicted, ascending.
	Classes []int
	// Names of the labels are the caller's to set. A label without a name is called by its number.
	Names []string
	// Counts is K × K for K classes: Counts[i][j] rows of class i are predicted to be of class j.
	Counts [][]int
}

// mostConfused is the most classes of a table, of 8 MB: nobody reads a larger one.
const mostConfused = 1000

// NewConfusion counts n predictions of K classes in O(n log n + K²).
//
// Errors: [coles.ErrShape] if the lengths differ or are zero, and [coles.ErrTooLarge] for more than 1,000 classes.
func NewConfusion(predicted, actual []int) (*Confusion, error) {
	t, err := contingency.Of(actual, predicted)
	if err != nil {
		return nil, err
	}
	c := &Confusion{Classes: contingency.Distinct(slices.Concat(t.Rows.Labels, t.Cols.Labels))}
	if len(c.Classes) > mostConfused {
		return nil, fmt.Errorf("%w: a table of %d classes, at most %d", coles.ErrTooLarge, len(c.Classes), mostConfused)
	}
	for range c.Classes {
		c.Counts = append(c.Counts, make([]int, len(c.Classes)))
	}
	for _, e := range t.Cells {
		i, _ := slices.BinarySearch(c.Classes, t.Rows.Labels[e.Row])
		j, _ := slices.BinarySearch(c.Classes, t.Cols.Labels[e.Col])
		c.Counts[i][j] = e.Count
	}
	return c, nil
}

// Name is the name of the k-th class.
func (c *Confusion) Name(k int) string {
	if label := c.Classes[k]; label >= 0 && label < len(c.Names) {
		return c.Names[label]
	}
	return strconv.Itoa(c.Classes[k])
}

// Total is the number of rows.
func (c *Confusion) Total() (n int) {
	for k := range c.Counts {
		n += c.Size(k)
	}
	return n
}

// Accuracy is the share of all rows that are predicted rightly.
func (c *Confusion) Accuracy() float64 {
	right := 0
	for k, row := range c.Counts {
		right += row[k]
	}
	return share(right, c.Total())
}

// Size is the number of rows of the k-th class.
func (c *Confusion) Size(k int) (n int) {
	for _, count := range c.Counts[k] {
		n += count
	}
	return n
}

// Recall is the share of the k-th class that is predicted rightly, 0 for a class without a row.
func (c *Confusion) Recall(k int) float64 { return share(c.Counts[k][k], c.Size(k)) }

// Precision is the share of right predictions among the rows predicted as the k-th class, 0 if there are none.
func (c *Confusion) Precision(k int) float64 {
	predicted := 0
	for _, row := range c.Counts {
		predicted += row[k]
	}
	return share(c.Counts[k][k], predicted)
}

func share(part, whole int) float64 { return float64(part) / float64(max(whole, 1)) }

// MistakenFor is the class that rows of the k-th class are most often mistaken for, the first of equals, and the
// number of these rows. Without any it is k itself.
func (c *Confusion) MistakenFor(k int) (other, count int) {
	other = k
	for j, n := range c.Counts[k] {
		if j != k && n > count {
			other, count = j, n
		}
	}
	return other, count
}

// String is a table with a line for each class: size, recall, precision and the most frequent mistake.
func (c *Confusion) String() string {
	names, width := make([]string, len(c.Classes)), len("class")
	for k := range names {
		names[k] = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) { // would break the line, or be obeyed by a terminal
				return ' '
			}
			return r
		}, c.Name(k))
		width = max(width, utf8.RuneCountInString(names[k]))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-*s   nodes   recall  precision  most often taken for\n", width, "class")
	for k, name := range names {
		line := fmt.Sprintf("%-*s %7d %6.1f %% %8.1f %%  ", width, name, c.Size(k), 100*c.Recall(k), 100*c.Precision(k))
		if other, count := c.MistakenFor(k); count > 0 {
			line += fmt.Sprintf("%s (%d)", names[other], count)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
