package luavm

// baseNames are the globals that every environment has.
var baseNames = []string{
	"_G", "_VERSION", "assert", "error", "getmetatable", "ipairs", "math", "next", "pairs", "pcall",
	"rawequal", "rawget", "rawlen", "rawset", "select", "setmetatable", "string", "table", "tonumber",
	"tostring", "type", "unpack", "xpcall",
}

// absentNames are globals of other Lua hosts that do not exist here, with what
// to do instead.
var absentNames = map[string]string{
	"arg":            "use ... or select",
	"bit":            "there are no bit operations",
	"bit32":          "there are no bit operations",
	"channel":        "scripts run alone",
	"collectgarbage": "memory is managed by the host",
	"coroutine":      "scripts run to their end; use plain functions",
	"debug":          "use error and pcall",
	"dofile":         "use require",
	"ffi":            "there is no way out of the sandbox",
	"getfenv":        "environments are fixed",
	"io":             "scripts cannot touch files",
	"jit":            "there is no JIT compiler",
	"load":           "code cannot be made at run time",
	"loadfile":       "use require",
	"loadstring":     "code cannot be made at run time",
	"module":         "return a table from the module instead",
	"newproxy":       "use setmetatable",
	"os":             "use the time module",
	"package":        "use require",
	"print":          "return an answer or raise an error",
	"require":        "this host has no modules",
	"setfenv":        "environments are fixed",
	"utf8":           "strings are bytes; use string patterns",
}
