"""Runs Ansible's own `ansible-inventory --list` and `ansible all --list-hosts` on many inventories.

Each is run in a process that was forked when Ansible was loaded: it is as alone as one that was started, and need not load it again.

stdin:  [path, ...]
stdout: [{"list": text, "hosts": text}, ...]
"""
import json
import os
import sys
import tempfile

from ansible.cli.adhoc import AdHocCLI
from ansible.cli.inventory import InventoryCLI


def printed(command, words):
    with tempfile.TemporaryFile("w+") as out:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.dup2(out.fileno(), 1)
                status = command(words).run() or 0
            except SystemExit as end:
                status = end.code or 0
            finally:
                sys.stdout.flush()
                os._exit(status)
        os.waitpid(child, 0)
        out.seek(0)
        return out.read()


json.dump(
    [
        {
            "list": printed(InventoryCLI, ["ansible-inventory", "-i", path, "--list"]),
            "hosts": printed(AdHocCLI, ["ansible", "all", "-i", path, "--list-hosts"]),
        }
        for path in json.load(sys.stdin)
    ],
    sys.stdout,
)
