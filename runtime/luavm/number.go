package luavm

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// numberText is the text that tostring gives: at most 14 significant digits, as
// in reference Lua, whatever the platform.
func numberText(n lua.LNumber) string {
	f := float64(n)
	switch {
	case f != f:
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case f == math.Trunc(f) && math.Abs(f) < 1e14:
		if f == 0 && math.Signbit(f) {
			return "-0"
		}
		return strconv.FormatInt(int64(f), 10)
	}
	return string(appendG(nil, f, 14, false))
}

// maxNumeral bounds the length of a numeral; no longer one says more.
const maxNumeral = 400

// parseNumber reads a number as tonumber does: a numeral with an optional sign
// and white space around it. The words inf and nan are not numbers.
func parseNumber(s string) (lua.LNumber, bool) {
	s = strings.Trim(s, " \t\n\r\v\f")
	negative := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		negative = s[0] == '-'
		s = s[1:]
	}
	n, ok := parseNumeral(s)
	if negative {
		n = -n
	}
	return lua.LNumber(n), ok
}

// parseNumeral reads an unsigned numeral: decimal, 0x hexadecimal with optional
// fraction and binary exponent, or 0b binary. There is no octal and there are no
// separators.
func parseNumeral(s string) (float64, bool) {
	if s == "" || len(s) > maxNumeral || strings.IndexByte(s, '_') >= 0 {
		return 0, false
	}
	if len(s) > 2 && s[0] == '0' {
		switch s[1] | 0x20 {
		case 'x':
			return parseHex(s)
		case 'b':
			n, ok := new(big.Int).SetString(s[2:], 2)
			if !ok {
				return 0, false
			}
			f, _ := new(big.Float).SetInt(n).Float64()
			return f, isDigit(s[2])
		}
	}
	if !isDigit(s[0]) && (s[0] != '.' || len(s) < 2 || !isDigit(s[1])) {
		return 0, false
	}
	if strings.Trim(s, "0123456789.eE+-") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// rounds reports whether a numeral that is written as an integer means another
// number than n, which is what it was read as: numbers are floats, and a script
// that compares with, or answers, an integer beyond 2^53 must not get its
// neighbour without a word.
func rounds(numeral string, n float64) bool {
	exact, ok := new(big.Int).SetString(numeral, 10)
	if !ok {
		exact, ok = new(big.Int).SetString(numeral, 0)
	}
	// Whoever writes a fraction or an exponent does not want it exact.
	if !ok || exact.BitLen() <= 53 {
		return false
	}
	held, accuracy := new(big.Float).SetInt(exact).Float64()
	return accuracy != big.Exact || held != n
}

func parseHex(s string) (float64, bool) {
	if c := s[2]; c == '+' || c == '-' {
		return 0, false
	}
	if strings.IndexByte(s, 'p') < 0 && strings.IndexByte(s, 'P') < 0 {
		s += "p0"
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// parseInBase reads an unsigned integer, as tonumber with a base does.
func parseInBase(s string, base int) (lua.LNumber, bool) {
	s = strings.Trim(s, " \t\n\r\v\f")
	if base == 16 && isHex(s) {
		s = s[2:]
	}
	negative := false
	if s != "" && s[0] == '-' {
		negative, s = true, s[1:]
	}
	if s == "" || len(s) > maxNumeral {
		return 0, false
	}
	n := 0.0
	for _, c := range []byte(s) {
		d := digitValue(c)
		if d >= base {
			return 0, false
		}
		n = n*float64(base) + float64(d)
	}
	if negative {
		n = -n
	}
	return lua.LNumber(n), true
}

func digitValue(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		return int(c|0x20-'a') + 10
	}
	return math.MaxInt
}

// sourceNumber spells n as a decimal numeral.
func sourceNumber(n float64) string {
	if math.IsInf(n, 1) {
		return "1e999"
	}
	return strconv.FormatFloat(n, 'g', -1, 64)
}

// treeNumber spells n so that gopher-lua's code generator, which would read
// 1e999 as NaN and 010 as 8, makes exactly n of it.
func treeNumber(n float64) string {
	if math.IsInf(n, 1) {
		return "Inf"
	}
	return strconv.FormatFloat(n, 'g', -1, 64)
}

// toInt converts a number with saturation, never with Go's undefined conversion.
// It rounds towards zero; ok is false for NaN.
func toInt(f float64) (i int, ok bool) {
	const most = 1 << 53
	switch {
	case f != f:
		return 0, false
	case f >= most:
		return most, true
	case f <= -most:
		return -most, true
	}
	return int(f), true
}
