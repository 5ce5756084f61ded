"""Serves a folder of skills with FastMCP: server.py ROOT template|resources [PORT]."""

import sys

from fastmcp import FastMCP
from fastmcp.server.providers.skills import SkillsDirectoryProvider

mcp = FastMCP("skills of a peer")
mcp.add_provider(SkillsDirectoryProvider(roots=sys.argv[1], supporting_files=sys.argv[2]))
if len(sys.argv) > 3:
    mcp.run(transport="http", host="127.0.0.1", port=int(sys.argv[3]), show_banner=False)
else:
    mcp.run(show_banner=False)
