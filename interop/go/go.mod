module skillwire/interop

go 1.26.5

require (
	github.com/panyam/mcpkit v0.5.2
	github.com/panyam/mcpkit/ext/skills v0.5.2
)
