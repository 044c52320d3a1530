package console

import "runtime/debug"

// version is set by the linker, in builds by "make build".
var version string

// Version is the version that this program was built from: what the build says,
// else that of the module, else "(devel)".
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
