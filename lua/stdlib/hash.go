package stdlib

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
)

func hashModule() Module {
	sum := func(name, doc string, of func([]byte) []byte) Function {
		return Function{
			Name: name, Doc: doc, Params: []Field{{"text", "string", ""}}, Returns: []Field{{"", "string", ""}},
			Call: func(c *Call) error {
				text, err := c.Capped(1, maxHashed)
				if err != nil {
					return err
				}
				return c.ReturnText(hex.EncodeToString(of([]byte(text))))
			},
		}
	}
	return Module{
		Name: "hash",
		Doc:  "Sums of texts of at most 4 MiB, in lower case hexadecimal digits. Keep the sum of a text where the text itself must not be kept.",
		Functions: []Function{
			sum("sha256", "Returns the SHA-256 of a text, 64 digits.", func(b []byte) []byte { s := sha256.Sum256(b); return s[:] }),
			sum("sha512", "Returns the SHA-512 of a text, 128 digits.", func(b []byte) []byte { s := sha512.Sum512(b); return s[:] }),
			sum("sha1", "Returns the SHA-1 of a text, 40 digits. It names the objects of git; it protects nothing.", func(b []byte) []byte { s := sha1.Sum(b); return s[:] }),
			sum("md5", "Returns the MD5 of a text, 32 digits, to compare with sums that others published. It protects nothing.", func(b []byte) []byte { s := md5.Sum(b); return s[:] }),
		},
	}
}

const maxHashed = 4 << 20
