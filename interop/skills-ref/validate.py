"""Judges skills with the validator of the specification: the folders as a JSON list on stdin, each folder a skill.

Prints a JSON object with what was said of each folder, nothing where it is valid.
"""

import json
import sys
from pathlib import Path

from skills_ref import validate


def said(folder):
    try:
        return validate(Path(folder))
    except Exception as error:  # A crash is a verdict too.
        return [f"{type(error).__name__}: {error}"]


print(json.dumps({folder: said(folder) for folder in json.load(sys.stdin)}))
