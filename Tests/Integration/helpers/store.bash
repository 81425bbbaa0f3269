# shellcheck shell=bash
# The service's database, body files and death, for tests that come between two of its lives.

# sql QUERY   its rows, a line each, columns split by `|`.
sql() {
    python3 - "$URLSESSIOND_HOME/transfers.sqlite" "$1" <<'PYTHON'
import sqlite3
import sys

database = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=20)
for row in database.execute(sys.argv[2]):
    print(*row, sep="|")
PYTHON
}

kill_service() {
    kill -KILL "$(service_pid)"
    wait_until 20 service_is_gone
}

# The one body file there is.
the_body() { find "$URLSESSIOND_HOME/bodies" -type f; }
