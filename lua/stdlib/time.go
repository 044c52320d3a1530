package stdlib

import (
	"errors"
	"math"
	"time"

	lua "github.com/yuin/gopher-lua"
)

func timeModule() Module {
	seconds := Field{"seconds", "number", "since the beginning of 1970, UTC"}
	return Module{
		Name: "time",
		Doc: "The time of the event that a policy judges. It is not the clock: it stands still while a handler runs, and a replay gives the time of then, so that the verdict is the same. " +
			"Times are seconds since the beginning of 1970, dates are those of UTC.",
		Classes: []Class{{Name: "dsh.time.Date", Doc: "A time as a date of UTC.", Fields: []Field{
			{"year", "integer", ""},
			{"month", "integer", "from 1"},
			{"day", "integer", "of the month, from 1"},
			{"hour", "integer", ""},
			{"minute", "integer", ""},
			{"second", "integer", ""},
			{"weekday", "integer", "from 1 for Monday to 7"},
			{"yearday", "integer", "from 1"},
		}}},
		Functions: []Function{
			{Name: "now", Doc: "Returns the time of the event. Where the host does not tell it, an error.", Returns: []Field{{"", "number", ""}}, Call: timeNow},
			{Name: "parse", Doc: "Reads `2026-01-31`, which is midnight of UTC, or a time of RFC 3339 such as `2026-01-31T12:00:00+02:00`. Nil if it is neither.", Params: []Field{{"text", "string", ""}}, Returns: []Field{{"", "number?", ""}}, Call: timeParse},
			{Name: "format", Doc: "Writes a time as RFC 3339 in UTC, in whole seconds.", Params: []Field{seconds}, Returns: []Field{{"", "string", ""}}, Call: timeFormat},
			{Name: "date", Doc: "Takes a time apart.", Params: []Field{seconds}, Returns: []Field{{"", "dsh.time.Date", ""}}, Call: timeDate},
			{Name: "duration", Doc: "Reads a length of time such as `90s`, `1h30m` or `2d`, and returns its seconds. Nil if it is none.", Params: []Field{{"text", "string", ""}}, Returns: []Field{{"", "number?", ""}}, Call: timeDuration},
		},
	}
}

var errNoTime = errors.New("the time of the event is not known here")

// Now returns the time of the event, which is the same during all of a run; ok is
// false if the host does not tell.
func (e *Env) Now() (now time.Time, ok bool) {
	if e.now.IsZero() && e.run.Services.Clock != nil {
		e.now = e.run.Services.Clock(e.Context())
	}
	return e.now, !e.now.IsZero()
}

func timeNow(c *Call) error {
	now, ok := c.Now()
	if !ok {
		return errNoTime
	}
	return c.Return(lua.LNumber(toSeconds(now)))
}

// toSeconds counts milliseconds as well.
func toSeconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

const maxTimeText = 64

func timeParse(c *Call) error {
	text := c.Str(1)
	if len(text) > maxTimeText {
		return c.Return(lua.LNil)
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return c.Return(lua.LNumber(toSeconds(t)))
		}
	}
	return c.Return(lua.LNil)
}

// maxSeconds is the end of the year 9999.
const maxSeconds = 253402300799

var errSeconds = errors.New("seconds: the time is not between the years 0 and 9999")

// time reads argument i.
func (c *Call) time(i int) (time.Time, error) {
	n, _ := c.Arg(i).(lua.LNumber)
	whole, part := math.Modf(float64(n))
	t := time.Unix(int64(whole), int64(part*float64(time.Second))).UTC()
	if math.Abs(whole) > maxSeconds || t.Year() < 0 {
		return t, errSeconds
	}
	return t, nil
}

func timeFormat(c *Call) error {
	t, err := c.time(1)
	if err != nil {
		return err
	}
	return c.ReturnText(t.Format(time.RFC3339))
}

func timeDate(c *Call) error {
	t, err := c.time(1)
	if err != nil {
		return err
	}
	parts := map[string]int{
		"year": t.Year(), "month": int(t.Month()), "day": t.Day(), "hour": t.Hour(), "minute": t.Minute(), "second": t.Second(),
		"weekday": (int(t.Weekday())+6)%7 + 1, "yearday": t.YearDay(),
	}
	members := make(map[string]lua.LValue, len(parts))
	for name, n := range parts {
		members[name] = lua.LNumber(n)
	}
	return c.Return(c.Table(members))
}

func timeDuration(c *Call) error {
	d, ok := parseDuration(c.Str(1))
	if !ok {
		return c.Return(lua.LNil)
	}
	return c.Return(lua.LNumber(d))
}

// units are those of a duration, in seconds.
var units = [256]float64{'s': 1, 'm': 60, 'h': 3600, 'd': 86400, 'w': 7 * 86400}

// parseDuration reads numbers that are each followed by a unit.
func parseDuration(text string) (seconds float64, ok bool) {
	if text == "" || len(text) > maxTimeText {
		return 0, false
	}
	for text != "" {
		number, digits := 0.0, 0
		for digits < len(text) && text[digits] >= '0' && text[digits] <= '9' {
			number = number*10 + float64(text[digits]-'0')
			digits++
		}
		if digits == 0 || digits == len(text) || units[text[digits]] == 0 {
			return 0, false
		}
		seconds += number * units[text[digits]]
		text = text[digits+1:]
	}
	return seconds, seconds <= maxSeconds
}
