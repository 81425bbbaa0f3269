# shellcheck shell=bash
# Questions to `bgtool status`, which claims nothing, about one task by name.

# task_line NAME [OPTION…]   its line: ID NAME STATE KEY=VALUE…
task_line() {
    local name=$1
    shift
    timeout -k 1 20 "$BGTOOL" status "$@" 3>&- | grep -E "^[0-9]+ $name "
}

task_state() { task_line "$@" | cut -d ' ' -f 3; }

# task_value KEY NAME   such as received, sent or expected
task_value() { task_line "$2" "${@:3}" | sed -n "s/.* $1=\(-\{0,1\}[0-9]*\).*/\1/p"; }

# For waiting: each prints what it saw.
task_is() {
    local line
    line=$(task_line "$1" "${@:3}") || return 1
    echo "$line"
    [[ $line =~ ^[0-9]+\ $1\ $2(\ |$) ]]
}

# task_reaches KEY NAME COUNT
task_reaches() {
    local value
    value=$(task_value "$1" "$2")
    echo "$1=$value"
    ((${value:-0} >= $3))
}

# The number in resume's first line for a task: `relaunch sees: ["ID NAME received=N"]`.
seen_at_relaunch() {
    sed -n "s/^relaunch sees: \[.*\"[0-9]* $1 $2=\([0-9]*\)\".*/\1/p" <<<"${lines[0]-}"
}
