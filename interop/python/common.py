"""What the clients in Python share: the task, hashes, and the result as the last line on stdout."""

import asyncio
import base64
import hashlib
import json
import sys

CONCURRENT = 8


def task():
    """The task, as JSON in the last argument."""
    return json.loads(sys.argv[-1])


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def bytes_of(result, uri):
    """The bytes of a `resources/read` that gave one content for the URI that was asked for."""
    contents = result.contents if hasattr(result, "contents") else result
    if len(contents) != 1:
        raise ValueError(f"{len(contents)} contents instead of one")
    [content] = contents
    if str(content.uri) != uri:
        raise ValueError(f"the answer is for {content.uri}")
    blob = getattr(content, "blob", None)
    return content.text.encode("utf-8") if blob is None else base64.b64decode(blob, validate=True)


def beside(listed, files):
    """The URIs of the files beside each listed SKILL.md, as the task names them."""
    found = []
    for uri in listed:
        root = uri.removesuffix("/SKILL.md")
        path = root.split("://", 1)[1]
        found += [f"{root}/{name}" for name in files.get(path, []) if name != "SKILL.md"]
    return found


async def read_all(read, uris):
    """SHA-256 by URI of what could be read, and why the others could not."""
    hashes, errors = {}, {}
    gate = asyncio.Semaphore(CONCURRENT)

    async def one(uri):
        async with gate:
            try:
                hashes[uri] = sha256(bytes_of(await read(uri), uri))
            except Exception as error:  # What it raises is the result here.
                errors[uri] = f"{getattr(error, 'code', '')} {error}".strip()

    await asyncio.gather(*(one(uri) for uri in uris))
    return hashes, errors


def say(value):
    print(json.dumps(value, separators=(",", ":")), flush=True)
