#!/usr/bin/env bats
# What the service uses, in numbers that hold on any machine: wake-ups, messages, memory, descriptors.
load test_helper

count() { python3 "$HELPERS/counts.py" "$@"; }

# so_many COUNT URL [SESSION]   queues downloads.
so_many() {
    count queue "$URLSESSIOND_HOME/socket" "$2" "$1" "${3:-counts}" || fail "could not queue $1 downloads"
}

service_descriptors() {
    local -a open=("/proc/$(service_pid)/fd/"*)
    echo "${#open[@]}"
}

requests_are_held() { server_was_asked GET /bytes/1000 "$1"; }

@test "whatever is stored, a service with nothing to do does not wake up" {
    server_start
    run_bgtool service start
    so_many 200 "$SERVER/bytes/1000?hold=gate"
    wait_until 30 requests_are_held 6
    count sleep "$(service_pid)" || fail "a service that waits for six servers wakes up"
}

@test "however fast bytes come, an owner hears a few messages a second" {
    server_start
    run_bgtool service start
    so_many 6 "$SERVER/bytes/400000000?interval=0.01&chunk=100000"
    local each
    each=$(count messages "$URLSESSIOND_HOME/socket" 4 counts)
    assert_between 1 "$each" 8 "messages a second"
}

@test "a task that waits costs no descriptor and next to no memory" {
    server_start
    run_bgtool service start
    so_many 1500 "$SERVER/bytes/1000?hold=gate"
    wait_until 30 requests_are_held 6
    local memory descriptors
    memory=$(service_memory)
    descriptors=$(service_descriptors)
    so_many 1500 "$SERVER/bytes/1000?hold=gate"
    assert_between 0 "$(service_descriptors)" "$((descriptors + 2))" "descriptors with 3000 tasks"
    assert_between 0 "$(service_memory)" "$((memory + 3000))" "kB with 3000 tasks"
}

@test "a transfer that runs costs a socket and less than 100 kB" {
    server_start
    run_bgtool service start
    so_many 6 "$SERVER/bytes/1000?hold=gate"
    wait_until 30 requests_are_held 6
    local memory descriptors session
    memory=$(service_memory)
    descriptors=$(service_descriptors)
    # Each session may have six connections to a host.
    for session in {1..8}; do so_many 6 "$SERVER/bytes/1000?hold=gate" "$session"; done
    wait_until 30 requests_are_held 54
    assert_between 48 "$(($(service_descriptors) - descriptors))" 100 "more descriptors for 48 transfers"
    assert_between 0 "$(($(service_memory) - memory))" 4800 "more kB for 48 transfers"
}
