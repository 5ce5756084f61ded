"""Runs FastMCP's own skill helpers against one server and prints what they gave as JSON.

Argument: a JSON object with `target` (a URL, or a command as a list), `mode` (auto or legacy), and what to do:
`manifests` (bool), `sync` (a folder), `download` (a folder, into which each skill is downloaded on its own).
"""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.utilities import skills


async def main(task):
    target = task["target"]
    transport = target if isinstance(target, str) else StdioTransport(target[0], target[1:])
    said = {}
    async with Client(transport, mode=task["mode"]) as client:
        said["protocol"] = client.protocol_version
        found = await skills.list_skills(client)
        said["skills"] = [[each.name, each.description, each.uri] for each in found]
        if task.get("manifests"):
            said["manifests"] = {}
            for each in found:
                manifest = await skills.get_skill_manifest(client, each.name)
                said["manifests"][each.name] = [[file.path, file.size, file.hash] for file in manifest.files]
        if task.get("sync"):
            await skills.sync_skills(client, task["sync"], overwrite=True)
        if task.get("download"):
            said["downloaded"] = {}
            for each in found:
                try:
                    await skills.download_skill(client, each.name, task["download"])
                    said["downloaded"][each.name] = True
                except Exception as error:  # What it raises is the result here.
                    said["downloaded"][each.name] = f"{getattr(error, 'code', '')} {error}"
    print(json.dumps(said))


asyncio.run(main(json.loads(sys.argv[1])))
