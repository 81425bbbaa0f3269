"""Prints one value of each matching line of the slow server's log.

    server_log.py FILE start|end METHOD PATH KEY
"""
import json
import sys

file, event, method, path, key = sys.argv[1:]
with open(file, encoding="utf-8") as log:
    for line in log:
        if not line.endswith("\n"):
            break  # it is being written
        entry = json.loads(line)
        seen = entry["event"], entry["method"], entry["path"].partition("?")[0]
        if seen == (event, method, path):
            value = entry[key]
            print("null" if value is None else value)
