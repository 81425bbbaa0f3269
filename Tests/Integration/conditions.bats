#!/usr/bin/env bats
# Transfers that wait for a date, for power or for another network, as a person asks for it and sees it. The
# machine is a folder of power supplies, and a busctl that says what NetworkManager would.
load test_helper

setup() {
    world_begin
    export URLSESSIOND_POWER_SUPPLY=$WORLD/power
    mkdir -p "$WORLD"/power/{BAT0,AC} "$WORLD/bin"
    echo Battery >"$WORLD/power/BAT0/type"
    echo Mains >"$WORLD/power/AC/type"
    plugged_in
    metered 4
    cat >"$WORLD/bin/busctl" <<-END
		#!/bin/sh
		printf 'u %s\ns "802-11-wireless"\n' "\$(cat "$WORLD/metered")"
	END
    chmod +x "$WORLD/bin/busctl"
    export PATH=$WORLD/bin:$PATH
    server_start --interval 0
}

plugged_in() { echo 1 >"$WORLD/power/AC/online" && echo Charging >"$WORLD/power/BAT0/status"; }
unplugged() { echo 0 >"$WORLD/power/AC/online" && echo Discharging >"$WORLD/power/BAT0/status"; }
metered() { echo "$1" >"$WORLD/metered"; }

# It looks every half minute; a new service looks at once.
look_again() {
    run_bgtool service restart
    assert_status 0
}

json() {
    run_bgtool status --json
    python3 -c 'import json, sys; task = json.load(sys.stdin)[0]
for name in sys.argv[1:]:
    value = task
    for part in name.split("."):
        value = value[part]
    print(value)' "$@" <<<"$output"
}

@test "--begin-after waits for its date, and status says when" {
    run_bgtool start "$SERVER/bytes/1000" --name moon --begin-after 2
    assert_status 0
    run_bgtool status
    assert_line_matching '^1 moon queued received=0 begins=20[0-9-]*T[0-9:]*Z$'
    assert_equal "$(server_requests GET /bytes/1000)" 0 "requests before its date"
    wait_until 30 task_is moon finished
    run_bgtool start "$SERVER/bytes/2000" --name year --begin-after 2999-01-01T00:00:00Z
    run_bgtool status
    assert_line_matching '^2 year queued received=0 begins=2999-01-01T00:00:00Z$'
}

@test "--discretionary waits for external power" {
    unplugged
    run_bgtool start "$SERVER/bytes/1000" --name moon --discretionary
    assert_status 0
    wait_until 20 task_is moon 'waiting received=0 discretionary on battery power'
    assert_equal "$(json conditions.isDiscretionary wait.reason)" "True
on battery power" "JSON"
    plugged_in
    look_again
    wait_until 20 task_is moon finished
}

@test "--discretionary waits for a network that is not metered" {
    metered 3
    run_bgtool start "$SERVER/bytes/1000" --name moon --discretionary
    wait_until 20 task_is moon 'waiting received=0 discretionary on a metered network, and there is time'
    metered 4
    look_again
    wait_until 20 task_is moon finished
}

@test "--no-expensive and --no-constrained use no such network, and others do meanwhile" {
    metered 1
    run_bgtool start "$SERVER/bytes/1000" --name cheap --no-expensive
    run_bgtool start "$SERVER/bytes/2000" --name small --no-constrained
    run_bgtool start "$SERVER/bytes/3000" --name any
    wait_until 20 task_is cheap 'waiting received=0 no-expensive on a metered network$'
    wait_until 20 task_is small 'waiting received=0 no-constrained on a network where data is to be saved'
    wait_until 20 task_is any finished
    # A guess of the system's is nobody's wish to save data.
    metered 3
    look_again
    wait_until 20 task_is small finished
    task_is cheap waiting
    metered 2
    look_again
    wait_until 20 task_is cheap finished
}

@test "an upload waits as a download does" {
    unplugged
    make_file up 1000
    run_bgtool upload up "$SERVER/upload" --name up --discretionary --expect-bytes 1000 --priority 0.75
    assert_status 0
    wait_until 20 task_is up 'waiting sent=0 expected=1000 priority=0.75 guess=1000 discretionary on battery'
    assert_equal "$(json clientExpectsToSend priority)" "1000
0.75" "JSON"
    plugged_in
    look_again
    wait_until 20 task_is up finished
}

@test "--priority decides who goes first when a connection is free" {
    local number
    # One connection becomes free, and no second at the same time: two requests would race to the server.
    for number in 1 2 3 4 5; do
        run_bgtool start "$SERVER/bytes/1000/$number?hold=others" --name "first-$number"
    done
    run_bgtool start "$SERVER/bytes/1000/6?hold=gate" --name first-6
    wait_until 20 server_was_asked GET /bytes/1000/6
    run_bgtool start "$SERVER/bytes/1000/low" --name low --priority 0.1
    run_bgtool start "$SERVER/bytes/1000/high" --name high --priority 0.9
    task_is low 'queued received=0 priority=0.1'
    task_is high 'queued received=0 priority=0.9'
    server_release gate
    wait_until 30 server_was_asked GET /bytes/1000/low
    assert_equal "$(grep -oE '"event": "start".*bytes/1000/(low|high)' "$WORLD/server.log" |
        grep -oE '(low|high)$' | tr '\n' ' ')" "high low " "the order of requests"
}

@test "--expect-bytes serves while nobody knows the size, --resource-timeout ends it all" {
    run_bgtool start "$SERVER/bytes/1000?hold=gate&length=chunked" --name moon --expect-bytes 1000 \
        --resource-timeout 3
    assert_status 0
    wait_until 20 task_is moon 'running received=0 guess=1000 timeout=3'
    assert_equal "$(json clientExpectsToReceive conditions.timeoutIntervalForResource)" "1000
3" "JSON"
    run_bgtool resume
    assert_line_matching '^complete 1 NSURLErrorDomain -1001 '
}

@test "a date, a priority or a size that is none is refused, by name" {
    run_bgtool start "$SERVER/bytes/1" --begin-after tomorrow
    assert_refused 64 begin-after tomorrow 2027
    run_bgtool start "$SERVER/bytes/1" --priority 2
    assert_refused 64 priority "0 to 1"
    run_bgtool upload x "$SERVER/bytes/1" --expect-bytes -1
    assert_refused 64 expect-bytes
    run_bgtool start "$SERVER/bytes/1" --resource-timeout soon
    assert_refused 64 resource-timeout
}
