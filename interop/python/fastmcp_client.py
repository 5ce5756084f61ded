"""Lists skills with FastMCP's helpers, and reads the files that each file list names.

Argument: the task of a matrix client as JSON. A hash of a list that the content does not have is no error to FastMCP; here
it makes `verified` false, as the list is the only thing that says what the content has to be.
"""

import asyncio
import urllib.parse

from common import CONCURRENT, read_all, say, task
from fastmcp import Client
from fastmcp.client.messages import MessageHandler
from fastmcp.client.transports import StdioTransport
from fastmcp.utilities import skills

MODES = {"legacy": "legacy", "modern": "2026-07-28"}


class Hearing(MessageHandler):
    def __init__(self):
        super().__init__()
        self.told = asyncio.Event()

    async def on_resource_list_changed(self, message):
        self.told.set()


async def main(wanted):
    target = wanted["target"]
    transport = (
        target["url"]
        if "url" in target
        else StdioTransport(target["command"], target["args"], env=target["env"])
    )
    hearing = Hearing()
    async with Client(transport, mode=MODES[wanted["era"]], message_handler=hearing) as client:
        found = await skills.list_skills(client)
        listed = [each.uri for each in found]
        stated, errors = {}, {}
        gate = asyncio.Semaphore(CONCURRENT)

        async def files_of(each):
            async with gate:
                try:
                    manifest = await skills.get_skill_manifest(client, each.name)
                except Exception as error:  # What it raises is the result here.
                    errors[each.uri] = f"{getattr(error, 'code', '')} {error}".strip()
                    return
            root = each.uri.removesuffix("/SKILL.md")
            for file in manifest.files:
                # The helper puts the path into the URI as it stands; a reader of URIs has to encode it.
                stated[f"{root}/{urllib.parse.quote(file.path)}"] = file.hash

        await asyncio.gather(*(files_of(each) for each in found))
        hashes, unread = await read_all(client.read_resource, list(stated))
        wrong = [uri for uri, digest in hashes.items() if stated[uri] != f"sha256:{digest}"]
        result = {
            "listed": listed,
            "bytes": hashes,
            "errors": {**errors, **unread},
            "verified": not wrong,
            "problems": [f"{uri} is not what its file list states" for uri in wrong],
            "protocol": client.protocol_version,
        }
        # It has no call that opens a subscription, without which the revision of 2026 tells nothing.
        if wanted["waitMs"] > 0 and wanted["era"] == "legacy":
            say({"waiting": True})
            try:
                await asyncio.wait_for(hearing.told.wait(), wanted["waitMs"] / 1000)
                result["notified"] = True
            except TimeoutError:
                result["notified"] = False
    say(result)


asyncio.run(main(task()))
