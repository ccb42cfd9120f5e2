"""Asks the installed Ansible which hosts its patterns select. Of many inventories it takes a list, and answers with one.

stdin:  {"inventory": path, "cases": [{"hosts": pattern, "limit": pattern or null}], "globs": [[glob, name], ...]}
stdout: {"version", "hosts": [...], "groups": [{name, hosts, children}], "selected": [{"hosts": [...]} or {"error": text}], "globs": [bool]}
"""
import fnmatch
import json
import sys

from ansible.errors import AnsibleError
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible.release import __version__


def select(manager, case):
    try:
        manager.clear_pattern_cache()
        manager._hosts_patterns_cache = {}
        manager.subset(case.get("limit"))
        return {"hosts": [host.name for host in manager.get_hosts(case["hosts"])]}
    except (AnsibleError, IndexError) as error:
        return {"error": "%s: %s" % (type(error).__name__, error)}


def answer(request):
    manager = InventoryManager(loader=DataLoader(), sources=[request["inventory"]])
    return {
        "version": __version__,
        "hosts": list(manager.hosts),
        "groups": [
            {
                "name": group.name,
                "hosts": [host.name for host in group.get_hosts()],
                "children": [child.name for child in group.child_groups],
            }
            for group in manager.groups.values()
        ],
        "selected": [select(manager, case) for case in request["cases"]],
        "globs": [fnmatch.fnmatchcase(name, glob) for glob, name in request["globs"]],
    }


asked = json.load(sys.stdin)
json.dump([answer(one) for one in asked] if isinstance(asked, list) else answer(asked), sys.stdout)
