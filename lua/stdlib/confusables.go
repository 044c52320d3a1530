package stdlib

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// unseen are ranges of letters that are not seen, and why.
var unseen = []struct {
	from, to rune
	kind     string
}{
	{0x00, 0x08, "control"},
	{0x0b, 0x0c, "control"},
	{0x0e, 0x1f, "control"},
	{0x7f, 0x9f, "control"},
	{0xad, 0xad, "zero-width"}, // soft hyphen
	{0x34f, 0x34f, "zero-width"},
	{0x61c, 0x61c, "direction"},
	{0x115f, 0x1160, "zero-width"},
	{0x17b4, 0x17b5, "zero-width"},
	{0x180b, 0x180f, "selector"},
	{0x200b, 0x200d, "zero-width"},
	{0x200e, 0x200f, "direction"},
	{0x202a, 0x202e, "direction"},
	{0x2060, 0x2065, "zero-width"},
	{0x2066, 0x2069, "direction"},
	{0x206a, 0x206f, "direction"},
	{0x2800, 0x2800, "zero-width"}, // blank in Braille
	{0x3164, 0x3164, "zero-width"},
	{0xfe00, 0xfe0f, "selector"},
	{0xfeff, 0xfeff, "zero-width"},
	{0xffa0, 0xffa0, "zero-width"},
	{0xfff9, 0xfffb, "control"},
	{0x1bca0, 0x1bca3, "zero-width"},
	{0x1d173, 0x1d17a, "zero-width"},
	{0xe0000, 0xe007f, "tag"},
	{0xe0100, 0xe01ef, "selector"},
}

// invisible says why nobody sees a letter. A byte that is no letter is a control.
func (*Env) invisible(r rune, size int) (kind, like string) {
	if r == utf8.RuneError && size == 1 {
		return "control", ""
	}
	for _, u := range unseen {
		if r >= u.from && r <= u.to {
			return u.kind, ""
		}
	}
	return "", ""
}

// lookalikes says which letters look like an ASCII one, each group behind it.
var lookalikes = []string{
	"aаɑα", "bЬƄ", "cсϲⅽ", "dԁⅾ", "eеҽ", "gɡց", "hһհ", "iіɩιⅰı", "jјϳ", "kκк",
	"lӏⅼǀ", "mⅿ", "nոп", "oоοօ", "pрρ", "qԛգ", "rг", "sѕ", "tτт", "uυսʋ", "vνѵⅴ", "wѡԝա", "xхχⅹ", "yуγү", "zᴢ",
	"AАΑ", "BВΒ", "CСϹⅭ", "DⅮ", "EЕΕ", "FϜ", "GԌ", "HНΗ", "IІΙӀⅠ", "JЈ", "KКΚ\u212a", "LⅬ", "MМΜⅯ", "NΝ", "OОΟՕ",
	"PРΡ", "QԚ", "SЅՏ", "TТΤ", "UՍ", "VѴⅤ", "WԜ", "XХΧⅩ", "YҮΥ", "ZΖ",
	"0᱐〇", "3ЗҘӠ", "6б", "-‐‑‒–−﹣", "/⁄∕⧸", ".․﹒", ":∶ː։", ";\u037e", "|∣│", "'‘’ʼ′", "\"“”″", "~∼˜", "*∗⁎", " \u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
}

// confusable says which ASCII letter another one looks like.
func (e *Env) confusable(r rune, _ int) (kind, like string) {
	if r < utf8.RuneSelf {
		return "", ""
	}
	if like = e.looksLike(r); like != "" {
		kind = "confusable"
	}
	return kind, like
}

const (
	fullWidth     = 0xff01 // the full width form of '!', and on from there
	lastFullWidth = 0xff5e
	mathLetters   = 0x1d400 // A–Z and a–z in thirteen styles
	lastMath      = 0x1d6a3
	mathDigits    = 0x1d7ce // 0–9 in five styles
	lastDigit     = 0x1d7ff
	alphabet      = 26
)

func (e *Env) looksLike(r rune) string {
	switch {
	case r >= fullWidth && r <= lastFullWidth:
		return string(r - fullWidth + '!')
	case r >= mathDigits && r <= lastDigit:
		return string('0' + (r-mathDigits)%10)
	case r >= mathLetters && r <= lastMath:
		at := (r - mathLetters) % (2 * alphabet)
		if at < alphabet {
			return string('A' + at)
		}
		return string('a' + at - alphabet)
	}
	if e.alike == nil {
		e.alike = map[rune]string{}
		for _, group := range lookalikes {
			for _, other := range group[1:] {
				e.alike[other] = group[:1]
			}
		}
	}
	return e.alike[r]
}

// skeleton is a text as a reader takes it.
func (e *Env) skeleton(text string) string {
	var b strings.Builder
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		kind, _ := e.invisible(r, size)
		like := ""
		if r >= utf8.RuneSelf {
			like = e.looksLike(r)
		}
		switch {
		case kind != "":
		case like != "":
			b.WriteString(like)
		default:
			b.WriteString(text[at : at+size])
		}
		at += size
	}
	return b.String()
}

func codePoint(r rune) string { return fmt.Sprintf("U+%04X", r) }
