package luavm

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// A verb is one conversion of a format string: %[flags][width][.precision]c.
type verb struct {
	minus, plus, space, alt, zero bool
	width, precision              int // precision < 0 if there is none
	c                             byte
	text                          string
}

func (vm *VM) stringFormat(L *lua.LState) int {
	f := stringArg(L, 1)
	arg := 1
	var out []byte
	for i := 0; i < len(f); {
		if f[i] != '%' {
			out = append(out, f[i])
			i++
			continue
		}
		if i+1 < len(f) && f[i+1] == '%' {
			out = append(out, '%')
			i += 2
			continue
		}
		v, n := parseVerb(L, f[i:])
		i += n
		arg++
		vm.spend(L, 1+(v.width+max(0, v.precision))>>2)
		out = vm.formatArg(L, out, v, arg)
		vm.checkLength(L, len(out))
	}
	vm.pushString(L, string(out))
	return 1
}

func parseVerb(L *lua.LState, f string) (v verb, n int) {
	v.precision = -1
	i := 1
	for ; i < len(f) && strings.IndexByte("-+ #0", f[i]) >= 0; i++ {
		switch f[i] {
		case '-':
			v.minus = true
		case '+':
			v.plus = true
		case ' ':
			v.space = true
		case '#':
			v.alt = true
		case '0':
			v.zero = true
		}
	}
	digits := func() (n int) {
		for k := 0; k < 2 && i < len(f) && isDigit(f[i]); k++ {
			n = n*10 + int(f[i]-'0')
			i++
		}
		return n
	}
	v.width = digits()
	if i < len(f) && f[i] == '.' {
		i++
		v.precision = digits()
	}
	if i >= len(f) || i > 10 {
		L.RaiseError("invalid conversion '%s' to 'format'", shorten(f[:min(i+1, len(f))]))
	}
	v.c = f[i]
	v.text = f[:i+1]
	return v, i + 1
}

func (vm *VM) formatArg(L *lua.LState, out []byte, v verb, arg int) []byte {
	switch v.c {
	case 'd', 'i':
		return v.integer(out, wholeArg(L, arg), 10)
	case 'u':
		return v.unsigned(out, wholeArg(L, arg), 10)
	case 'x', 'X':
		return v.unsigned(out, wholeArg(L, arg), 16)
	case 'o':
		return v.unsigned(out, wholeArg(L, arg), 8)
	case 'c':
		return v.pad(out, "", string([]byte{byte(wholeArg(L, arg))}), false)
	case 'a', 'A', 'e', 'E', 'f', 'F', 'g', 'G':
		f := numberArg(L, arg)
		if v.precision > exactDigits || math.Abs(f) >= exactBelow {
			vm.spend(L, longFloatCost)
		}
		return v.float(out, f)
	case 's':
		if arg > L.GetTop() {
			argError(L, arg, "no value")
		}
		s := vm.text(L, L.Get(arg))
		if v.precision >= 0 && v.precision < len(s) {
			s = s[:v.precision]
		}
		return v.pad(out, "", s, false)
	case 'q':
		s := stringArg(L, arg)
		vm.built(L, len(s))
		return appendQuoted(out, s)
	}
	L.RaiseError("invalid conversion '%s' to 'format'", shorten(v.text))
	return nil
}

// Beyond these a float is printed by arithmetic on large numbers.
const (
	exactDigits   = 17
	exactBelow    = 1e17
	longFloatCost = 2500
)

// wholeArg returns argument n as an integer, as C's conversion makes it: the
// fraction is dropped. What no integer can hold is an error.
func wholeArg(L *lua.LState, n int) int64 {
	f := numberArg(L, n)
	if math.IsNaN(f) || math.Abs(f) >= 1<<63 {
		argError(L, n, "number has no integer representation")
	}
	return int64(f)
}

// pad writes sign and body at the width of v; zeros go between them.
func (v verb) pad(out []byte, sign, body string, zeros bool) []byte {
	missing := v.width - len(sign) - len(body)
	fill := func(c byte) {
		for ; missing > 0; missing-- {
			out = append(out, c)
		}
	}
	switch {
	case v.minus:
		out = append(append(out, sign...), body...)
		fill(' ')
		return out
	case zeros && v.zero:
		out = append(out, sign...)
		fill('0')
	default:
		fill(' ')
		out = append(out, sign...)
	}
	return append(out, body...)
}

func (v verb) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case v.plus:
		return "+"
	case v.space:
		return " "
	}
	return ""
}

func (v verb) integer(out []byte, n int64, base int) []byte {
	body := strconv.FormatUint(magnitude(n), base)
	return v.digits(out, v.sign(n < 0), body)
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

func (v verb) unsigned(out []byte, n int64, base int) []byte {
	body := strconv.FormatUint(uint64(n), base)
	prefix := ""
	switch {
	case v.alt && base == 8 && n == 0 && v.precision == 0:
		v.precision = 1
	case v.alt && base == 8 && n == 0:
	case v.alt && base == 8:
		body = "0" + body
	case v.alt && base == 16 && n != 0:
		prefix = "0x"
	}
	if v.c == 'X' {
		body, prefix = strings.ToUpper(body), strings.ToUpper(prefix)
	}
	return v.digits(out, prefix, body)
}

func (v verb) digits(out []byte, sign, body string) []byte {
	if v.precision >= 0 {
		if v.precision == 0 && body == "0" {
			body = ""
		}
		body = strings.Repeat("0", max(0, v.precision-len(body))) + body
	}
	return v.pad(out, sign, body, v.precision < 0)
}

func (v verb) float(out []byte, f float64) []byte {
	upper := v.c < 'a'
	sign := v.sign(math.Signbit(f) && !math.IsNaN(f))
	var body string
	switch abs := math.Abs(f); {
	case math.IsNaN(f):
		body = "nan"
	case math.IsInf(f, 0):
		body = "inf"
	default:
		body = string(v.appendFloat(nil, abs))
		if v.c|0x20 == 'a' {
			sign += "0x"
		}
	}
	if upper {
		sign, body = strings.ToUpper(sign), strings.ToUpper(body)
	}
	return v.pad(out, sign, body, !math.IsNaN(f) && !math.IsInf(f, 0))
}

func (v verb) appendFloat(b []byte, f float64) []byte {
	precision := v.precision
	if precision < 0 {
		precision = 6
	}
	switch v.c | 0x20 {
	case 'g':
		b = appendG(b, f, precision, v.alt)
	case 'a':
		b = append(b, hexFloat(f, v.precision)...)
	default:
		b = append(b, roundedFloat(f, v.c|0x20, precision)...)
	}
	if v.alt && bytes.IndexByte(b, '.') < 0 {
		end := bytes.IndexAny(b, "ep")
		if end < 0 {
			end = len(b)
		}
		b = slices.Insert(b, end, '.')
	}
	return b
}

// roundedFloat is strconv.FormatFloat, except that a tie is rounded away from
// zero, as LuaJIT does, and not to even.
func roundedFloat(f float64, form byte, precision int) string {
	s := strconv.FormatFloat(f, form, precision, 64)
	longer := strconv.FormatFloat(f, form, precision+1, 64)
	digits, exponent, _ := strings.Cut(longer, "e")
	if !strings.HasSuffix(digits, "5") {
		return s
	}
	exact, _, err := big.ParseFloat(longer, 10, 2000, big.ToNearestEven)
	if err != nil || exact.Cmp(big.NewFloat(f)) != 0 {
		return s
	}
	up := digits[:len(digits)-1] + "6"
	if exponent != "" {
		up += "e" + exponent
	}
	exact, _, err = big.ParseFloat(up, 10, 2000, big.ToNearestEven)
	if err != nil {
		return s
	}
	return exact.Text(form, precision)
}

// appendG is C's %g, which strconv's 'g' is not: the exponent has at least two
// digits in both, but strconv chooses the form by other rules.
func appendG(b []byte, f float64, precision int, keepZeros bool) []byte {
	if precision == 0 {
		precision = 1
	}
	mantissa := roundedFloat(f, 'e', precision-1)
	exponent, _ := strconv.Atoi(mantissa[strings.IndexByte(mantissa, 'e')+1:])
	if exponent < -4 || exponent >= precision {
		digits, exp, _ := strings.Cut(mantissa, "e")
		return append(append(append(b, trimZeros(digits, keepZeros)...), 'e'), exp...)
	}
	fixed := roundedFloat(f, 'f', precision-1-exponent)
	return append(b, trimZeros(fixed, keepZeros)...)
}

func trimZeros(s string, keep bool) string {
	if keep || strings.IndexByte(s, '.') < 0 {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// hexFloat is C's %a for f >= 0, without its prefix 0x. Rounding to a precision
// leaves the exponent as it is.
func hexFloat(f float64, precision int) string {
	const digits = 13 // hexadecimal, of the fraction
	mantissa, exponent := math.Frexp(f)
	bits := uint64(math.Ldexp(mantissa, digits*4+1)) // 1 before the point
	if f != 0 {
		exponent--
	}
	if precision >= 0 && precision < digits {
		unit := uint64(1) << (4 * (digits - precision))
		rest := bits % unit
		bits -= rest
		if rest > unit/2 || rest == unit/2 && bits&unit != 0 {
			bits += unit
		}
	}
	fraction := fmt.Sprintf("%013x", bits&(1<<(digits*4)-1))
	if precision < 0 {
		fraction = strings.TrimRight(fraction, "0")
	} else {
		fraction = (fraction + strings.Repeat("0", max(0, precision-digits)))[:precision]
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return fmt.Sprintf("%d%sp%+d", bits>>(digits*4), fraction, exponent)
}

// appendQuoted is %q: a literal that reads back as s.
func appendQuoted(out []byte, s string) []byte {
	out = append(out, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\' || c == '\n':
			out = append(out, '\\', c)
		case c < ' ' || c == 127:
			if i+1 < len(s) && isDigit(s[i+1]) {
				out = fmt.Appendf(out, "\\%03d", c)
			} else {
				out = fmt.Appendf(out, "\\%d", c)
			}
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}
