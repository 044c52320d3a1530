package luavm

// CheckPattern reports what is wrong with a Lua pattern, which a script would only
// be told when the matcher comes to that place.
func CheckPattern(pattern string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			malformed, ok := r.(patternError)
			if !ok {
				panic(r)
			}
			err = malformed
		}
	}()
	c := patternCheck{m: matcher{pat: pattern}}
	p := 0
	if pattern != "" && pattern[0] == '^' {
		p = 1
	}
	for p < len(pattern) {
		p = c.item(p)
	}
	if len(c.open) > 0 {
		return errPatOpen
	}
	return nil
}

// patternCheck walks over a pattern. Like the matcher it panics with a patternError.
type patternCheck struct {
	m      matcher
	level  int
	open   []int // captures that are not closed
	closed [maxCaptures]bool
}

// item checks the item at p and returns where the next one begins.
func (c *patternCheck) item(p int) int {
	pat := c.m.pat
	switch pat[p] {
	case '(':
		if c.level >= maxCaptures {
			panic(errPatTooMany)
		}
		c.level++
		if p+1 < len(pat) && pat[p+1] == ')' {
			c.closed[c.level-1] = true
			return p + 2
		}
		c.open = append(c.open, c.level-1)
		return p + 1
	case ')':
		if len(c.open) == 0 {
			panic(errPatCapture)
		}
		c.closed[c.open[len(c.open)-1]] = true
		c.open = c.open[:len(c.open)-1]
		return p + 1
	case '%':
		if p+1 < len(pat) {
			return c.escape(p)
		}
	}
	return c.m.classEnd(p)
}

func (c *patternCheck) escape(p int) int {
	pat := c.m.pat
	switch d := pat[p+1]; {
	case d == 'b':
		if p+3 >= len(pat) {
			panic(errPatBalance)
		}
		return p + 4
	case d == 'f':
		if p+2 >= len(pat) || pat[p+2] != '[' {
			panic(errPatFrontier)
		}
		return c.m.classEnd(p + 2)
	case isDigit(d):
		if i := int(d) - '1'; i < 0 || i >= c.level || !c.closed[i] {
			panic(errPatIndex)
		}
		return p + 2
	}
	return c.m.classEnd(p)
}
