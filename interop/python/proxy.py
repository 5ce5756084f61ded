"""A proxy of FastMCP in front of a server: proxy.py URL-or-JSON-command [PORT].

The command of a server over stdio is JSON with `command`, `args` and `env`. Without a port it speaks over stdio.
"""

import json
import sys

from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy

behind = sys.argv[1]
if behind.startswith("{"):
    found = json.loads(behind)
    behind = StdioTransport(found["command"], found["args"], env=found["env"])
proxy = create_proxy(behind, name="a proxy of a peer")
if len(sys.argv) > 2:
    proxy.run(transport="http", host="127.0.0.1", port=int(sys.argv[2]), show_banner=False)
else:
    proxy.run(show_banner=False)
