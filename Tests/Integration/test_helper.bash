# shellcheck shell=bash source-path=SCRIPTDIR/helpers
# What every test file loads: one world a test, ways to wait, ways to say what is expected.
# BIN is the folder of bgtool and urlsessiond; `make integration` exports it.
bats_require_minimum_version 1.5.0

ROOT=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
BIN=${BIN:-$(cd "$ROOT" && swift build --show-bin-path)}
BGTOOL=$BIN/bgtool
SLOW_SERVER=$ROOT/Scripts/slow_server.py
HELPERS=$ROOT/Tests/Integration/helpers
LESSON_SESSION=com.example.library.relaunch
export ROOT BIN BGTOOL SLOW_SERVER HELPERS LESSON_SESSION

source "$HELPERS/wait.bash"
source "$HELPERS/assert.bash"
source "$HELPERS/world.bash"
source "$HELPERS/server.bash"
source "$HELPERS/tasks.bash"

setup() { world_begin; }
teardown() { world_end; }
