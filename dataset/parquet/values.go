package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"coles"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// A reading reads the values of a column that are not null.
type reading struct {
	*parquet.Column
	as     func(v parquet.Value) (any, error)
	number func(v parquet.Value) float64 // nil where the type has no numbers
	names  bool                          // the values may be ids: text or integers
}

// readingOf is how the values of a column of a file are read, by its type.
func readingOf(f *parquet.File, c *parquet.Column) (reading, error) {
	r, kind := reading{Column: c}, c.Type().Kind()
	logical := logicalOf(f, c)
	switch l := logical.(type) {
	case nil:
		switch kind {
		case parquet.Boolean:
			r.as = func(v parquet.Value) (any, error) { return v.Boolean(), nil }
		case parquet.Int32:
			r = numbers(r, true, parquet.Value.Int32)
		case parquet.Int64:
			r = numbers(r, true, parquet.Value.Int64)
		case parquet.Float:
			r = numbers(r, false, parquet.Value.Float)
		case parquet.Double:
			r = numbers(r, false, parquet.Value.Double)
		case parquet.ByteArray:
			r.as, r.names = text, true
		}
	case *format.StringType, *format.EnumType:
		r.as, r.names = text, true
	case *format.IntType:
		switch wide := kind == parquet.Int64; {
		case wide && l.IsSigned:
			r = numbers(r, true, parquet.Value.Int64)
		case wide:
			r = numbers(r, true, parquet.Value.Uint64)
		case l.IsSigned:
			r = numbers(r, true, parquet.Value.Int32)
		default:
			r = numbers(r, true, parquet.Value.Uint32)
		}
	case *format.DecimalType:
		r.as = func(v parquet.Value) (any, error) { return decimal(v, l.Scale), nil }
		r.number = func(v parquet.Value) float64 {
			x, _ := strconv.ParseFloat(decimal(v, l.Scale), 64)
			return x
		}
	case *format.Float16Type:
		r = numbers(r, false, half)
	case *format.DateType:
		r.as = func(v parquet.Value) (any, error) { return time.Unix(24*3600*int64(v.Int32()), 0).UTC(), nil }
	case *format.TimestampType:
		r.as = func(v parquet.Value) (any, error) { return timeOf(l, v.Int64()), nil }
	}
	if r.as == nil {
		return r, fmt.Errorf("%w: values of type %v are not read", coles.ErrFormat, c.Type())
	}
	return r, nil
}

// logicalOf is what the values of a column stand for, nil where that is their type itself. The library beneath does
// not tell FLOAT16.
func logicalOf(f *parquet.File, c *parquet.Column) format.LogicalTypeValue {
	if l := c.Type().LogicalType(); l != nil {
		return l.Value
	}
	leaves := slices.DeleteFunc(slices.Clone(f.Metadata().Schema), func(e format.SchemaElement) bool { return !e.Type.Valid })
	if half, ok := leaves[c.Index()].LogicalType.Value.(*format.Float16Type); ok && c.Type().Length() == 2 {
		return half
	}
	return nil
}

// numbers completes the reading of a type of numbers.
func numbers[T int32 | int64 | uint32 | uint64 | float32 | float64](r reading, whole bool, get func(parquet.Value) T) reading {
	r.as = func(v parquet.Value) (any, error) { return get(v), nil }
	r.number = func(v parquet.Value) float64 { return float64(get(v)) }
	r.names = whole
	return r
}

// cell is a value for [table.Table.Add], nil for null.
func (r *reading) cell(v parquet.Value) (any, error) {
	if v.IsNull() {
		return nil, nil
	}
	if err := r.check(v); err != nil {
		return nil, err
	}
	return r.as(v)
}

// lists reports whether a row has a list of values.
func (r *reading) lists() bool { return r.MaxRepetitionLevel() > 0 }

// list are the numbers of a list, none for one that is null or empty.
func (r *reading) list(values []parquet.Value) (list []float64, err error) {
	if len(values) == 1 && values[0].IsNull() {
		return nil, nil
	}
	for k, v := range values {
		x, err := r.finite(v)
		if err != nil {
			return nil, fmt.Errorf("value %d: %w", k, err)
		}
		list = append(list, x)
	}
	return list, nil
}

// name is a value as an id.
func (r *reading) name(v parquet.Value) (string, error) {
	cell, err := r.cell(v)
	if cell == nil && err == nil {
		err = fmt.Errorf("%w: null where an id is expected", coles.ErrFormat)
	}
	return fmt.Sprint(cell), err
}

// finite is a value as a number.
func (r *reading) finite(v parquet.Value) (x float64, err error) {
	if v.IsNull() {
		return 0, fmt.Errorf("%w: null where a number is expected", coles.ErrFormat)
	}
	if err = r.check(v); err == nil {
		if x = r.number(v); x-x != 0 {
			err = fmt.Errorf("%v: %w", x, coles.ErrNotFinite)
		}
	}
	return x, err
}

// check refuses what a damaged file has in the place of a value.
func (r *reading) check(v parquet.Value) error {
	if want := r.Type().Kind(); v.Kind() != want {
		return fmt.Errorf("%w: %v where %v is expected", coles.ErrFormat, v.Kind(), want)
	}
	return nil
}

// text copies a value.
func text(v parquet.Value) (any, error) {
	s := string(v.ByteArray())
	if !utf8.ValidString(s) {
		return "", fmt.Errorf("%w: %q is not UTF-8 text", coles.ErrFormat, s)
	}
	return s, nil
}

// decimal is an integer, of bytes in two's complement where it is none of 32 or 64 bits, divided by 10^scale.
func decimal(v parquet.Value, scale int32) string {
	var unscaled *big.Int
	switch v.Kind() {
	case parquet.Int32:
		unscaled = big.NewInt(int64(v.Int32()))
	case parquet.Int64:
		unscaled = big.NewInt(v.Int64())
	default:
		b := v.ByteArray()
		unscaled = new(big.Int).SetBytes(b)
		if len(b) > 0 && b[0] >= 1<<7 {
			unscaled.Sub(unscaled, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	const most = 10_000 // digits: a footer may declare any scale
	scale = min(max(scale, 0), most)
	return new(big.Rat).SetFrac(unscaled, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)).FloatString(int(scale))
}

// half is a number of 16 bits (IEEE 754): 1 of the sign, 5 of the exponent, 10 of the fraction.
func half(v parquet.Value) float64 {
	b := binary.LittleEndian.Uint16(v.ByteArray())
	x := float64(b & (1<<10 - 1))
	switch exponent := int(b >> 10 & 31); {
	case exponent == 31 && x == 0:
		x = math.Inf(1)
	case exponent == 31:
		x = math.NaN()
	case exponent == 0:
		x = math.Ldexp(x, -24)
	default:
		x = math.Ldexp(x+1<<10, exponent-25)
	}
	if b>>15 == 1 {
		return -x
	}
	return x
}

// timeOf is a timestamp in its unit since 1970.
func timeOf(of *format.TimestampType, at int64) time.Time {
	switch of.Unit.Value.(type) {
	case *format.MilliSeconds:
		return time.UnixMilli(at).UTC()
	case *format.MicroSeconds:
		return time.UnixMicro(at).UTC()
	}
	return time.Unix(0, at).UTC()
}
