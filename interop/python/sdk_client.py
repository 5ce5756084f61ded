"""Lists and reads skills as any client of the Python SDK can: as resources.

Argument: the task of a matrix client as JSON. Prompts and templates are listed where the server has them.
"""

import asyncio

from common import beside, read_all, say, task
from mcp import Client, StdioServerParameters
from mcp.client.subscriptions import ResourcesListChanged
from mcp.shared.exceptions import MCPError

MODES = {"legacy": "legacy", "modern": "2026-07-28"}
LIST_CHANGED = "notifications/resources/list_changed"


async def pages(call, key):
    """Every entry of a list."""
    found, cursor = [], None
    while True:
        page = await call(cursor=cursor)
        found += getattr(page, key)
        cursor = page.next_cursor
        if not cursor:
            return found


async def heard(client, told, wait_ms, problems):
    """Whether the change of a list was told in time."""
    try:
        async with asyncio.timeout(wait_ms / 1000):
            if client.protocol_version < "2026":
                say({"waiting": True})
                await told.wait()
                return True
            async with client.listen(resources_list_changed=True) as subscription:
                say({"waiting": True})
                async for event in subscription:
                    if isinstance(event, ResourcesListChanged):
                        return True
    except TimeoutError:
        return False
    except MCPError as error:
        problems.append(f"subscriptions/listen: {error}")
        return False


async def main(wanted):
    told = asyncio.Event()

    async def hear(message):
        root = getattr(message, "root", message)
        if getattr(root, "method", "") == LIST_CHANGED:
            told.set()

    target = wanted["target"]
    server = (
        target["url"]
        if "url" in target
        else StdioServerParameters(command=target["command"], args=target["args"], env=target["env"])
    )
    problems = []
    async with Client(server, mode=MODES[wanted["era"]], message_handler=hear, cache=None) as client:
        resources = await pages(client.list_resources, "resources")
        uris = [str(each.uri) for each in resources]
        listed = [uri for uri in uris if uri.startswith("skill://") and uri.endswith("/SKILL.md")]
        for name, key in (("list_resource_templates", "resource_templates"), ("list_prompts", "prompts")):
            if key == "prompts" and client.server_capabilities.prompts is None:
                continue
            try:
                await pages(getattr(client, name), key)
            except Exception as error:  # Told with the rest.
                problems.append(f"{name}: {error}")
        hashes, errors = await read_all(client.read_resource, listed + beside(listed, wanted["beside"]))
        result = {
            "listed": listed,
            "bytes": hashes,
            "errors": errors,
            "problems": problems,
            "protocol": client.protocol_version,
        }
        if wanted["waitMs"] > 0:
            result["notified"] = await heard(client, told, wanted["waitMs"], problems)
    say(result)


asyncio.run(main(task()))
