package setting_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"coles/internal/setting"
	"coles/internal/testkit"
)

type colour int

var colours = []string{"red", "green"}

func TestChoicesHaveNames(t *testing.T) {
	for v, name := range colours {
		text := testkit.Must(setting.Marshal(colour(v), colours))
		var read colour
		if err := setting.Unmarshal(&read, text, colours); err != nil || string(text) != name || int(read) != v || setting.Name(read, colours) != name {
			t.Errorf("%d is %q, and that is %d (%v)", v, text, read, err)
		}
	}
	for _, v := range []colour{-1, 2} {
		testkit.WantError(t, testkit.Err(setting.Marshal(v, colours)), setting.ErrSetting)
		testkit.WantSame(t, "the name of none", setting.Name(v, colours), fmt.Sprintf("setting_test.colour(%d)", int(v)))
	}
	read := colour(1)
	for _, text := range []string{"", "Red", "red ", "blue"} {
		testkit.WantError(t, setting.Unmarshal(&read, []byte(text), colours), setting.ErrSetting)
	}
	testkit.WantSame(t, "after an error", read, colour(1))
}

func TestTextIsParsedAsItWasWritten(t *testing.T) {
	for want, text := range map[string]string{
		"sgc":                             setting.Text("sgc"),
		"sgc:2":                           setting.Text("sgc", 2),
		"appnp:10,0.1":                    setting.Text("appnp", 10, 0.1),
		"uniform:5,exclude-edges":         setting.Text("uniform", 5, "exclude-edges"),
		"polynomial:1e-300,-0.3333333333": setting.Text("polynomial", 1e-300, -0.3333333333),
		"x:1.7976931348623157e+308,1":     setting.Text("x", math.MaxFloat64, 1.0),
	} {
		testkit.WantSame(t, "text", text, want)
	}
	f := setting.Parse("form", []byte("appnp:10,0.1,exclude"))
	if n, a := f.Int(), f.Float(); f.Name != "appnp" || n != 10 || a != 0.1 || f.Left() != 1 || f.Word("include") || !f.Word("exclude") || f.End() != nil {
		t.Errorf("%q with %d and %v: %v", f.Name, n, a, f.End())
	}
	custom := setting.Parse("form", []byte("custom:a,b:c"))
	if rest := custom.Rest(); rest != "a,b:c" || custom.End() != nil {
		t.Errorf("%q is left: %v", rest, custom.End())
	}
	if rest := setting.Parse("form", []byte("custom")).Rest(); rest != "" {
		t.Errorf("%q is left of nothing", rest)
	}
}

func TestTextIsRefused(t *testing.T) {
	for text, part := range map[string]string{ // an integer and a number are wanted
		"a":                        "want one more number",
		"a:":                       `want a whole number for ""`,
		"a:1":                      "want one more number",
		"a:1.5,2":                  `want a whole number for "1.5"`,
		"a: 1,2":                   `want a whole number for " 1"`,
		"a:1,x":                    `want a number for "x"`,
		"a:1,NaN":                  `want a number for "NaN"`,
		"a:1,Inf":                  `want a number for "Inf"`,
		"a:1,1e999":                `want a number for "1e999"`,
		"a:1,2,3,4":                `want no "3,4"`,
		"a:x,y":                    `want a whole number for "x"`, // the first mistake is told
		"a:1e3,2":                  `want a whole number for "1e3"`,
		"a:1,2,":                   `want no ""`,
		"a:0x1,2":                  `want a whole number for "0x1"`,
		"a:99999999999999999999,2": "want a whole number for",
	} {
		f := setting.Parse("form", []byte(text))
		f.Int()
		f.Float()
		err := f.End()
		testkit.WantError(t, err, setting.ErrSetting)
		if err == nil || !strings.Contains(err.Error(), part) || !strings.Contains(err.Error(), fmt.Sprintf("%q", text)) {
			t.Errorf("%q: %v, want %s", text, err, part)
		}
	}
	err := setting.Parse("form", []byte("heat:1")).Unknown(colours)
	testkit.WantError(t, err, setting.ErrSetting)
	if !strings.Contains(err.Error(), `"heat:1", want red, green`) {
		t.Error(err)
	}
}

func TestJSONIsStrict(t *testing.T) {
	type settings struct{ Dim int }
	for text, fine := range map[string]bool{
		`{"Dim": 3}`:            true,
		` {} `:                  true,
		`{"Dim": 3, "Dom": 4}`:  false,
		`{"Dim": 3} {"Dim": 4}`: false,
		`{"Dim": 3} x`:          false,
		`{"Dim": "3"}`:          false,
		`{"Dim": 3`:             false,
		``:                      false,
	} {
		s := settings{Dim: 7}
		err := setting.UnmarshalJSON([]byte(text), &s)
		if fine && err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if !fine {
			testkit.WantError(t, err, setting.ErrSetting)
		}
		if text == ` {} ` && s.Dim != 7 {
			t.Error("what is not mentioned has changed")
		}
	}
	// An error of a value's own is not wrapped twice.
	var nested struct{ Colour marked }
	err := setting.UnmarshalJSON([]byte(`{"Colour": "blue"}`), &nested)
	testkit.WantError(t, err, setting.ErrSetting)
	if strings.Count(err.Error(), setting.ErrSetting.Error()) != 1 {
		t.Errorf("%v says it twice", err)
	}
}

// marked is a colour that reads itself from text.
type marked colour

func (m *marked) UnmarshalText(text []byte) error { return setting.Unmarshal(m, text, colours) }
