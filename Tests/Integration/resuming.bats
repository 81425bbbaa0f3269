#!/usr/bin/env bats
# Every answer a server can give to a question for the rest (HTTP.md, "Take"; CASES.md, "Resume" and
# "Bodies"). All transfers run at once in one world, before the first test; each test looks at one of them.
# Unless a case says otherwise it is a body of 300,000 bytes whose first answer breaks off after 100,000.
load test_helper
load helpers/cases

setup_file() {
    cases_begin
    # Parts that may be combined.
    broken_off part
    broken_off date etag=none
    broken_off star contentrange=star
    broken_off silent-tag etag206=none
    broken_off short short206=80000
    broken_off chunked length=chunked
    broken_off reset rst=1
    broken_off thrice times=3
    case_start before-a-byte "/bytes/300000/before-a-byte?drop=0"
    case_start signed "/signed?redirect=/bytes/300000/signed%3Fdrop=100000"
    # Parts that must not be.
    local value
    for value in missing wrongstart wrongtotal wrongunit garbage reversed beyond; do
        broken_off "range-$value" "contentrange=$value"
    done
    broken_off multipart multipart=1
    broken_off whole-as-part whole206=1
    broken_off other-tag etag206=other
    broken_off compressed-part gzip206=1
    broken_off long-part long206=7
    broken_off thin-part thin206=7
    broken_off long-chunked-part "length=chunked&long206=7"
    broken_off thin-chunked-part "length=chunked&thin206=7"
    broken_off endless-part "length=chunked&contentrange=star"
    broken_off other-version "ifrange=ignore&flip=1"
    broken_off other-version-by-date "ifrange=ignore&flip=1&etag=none"
    # Whole answers.
    broken_off ignoring ranges=ignore
    broken_off growing grow=1000
    broken_off changed flip=1
    broken_off fickle-tag etag=changing
    # What is not asked for at all.
    broken_off rangeless ranges=none
    broken_off unversioned validators=none
    broken_off weak etag=weak
    broken_off young "etag=none&lastmodified=recent"
    broken_off undated "etag=none&date=none"
    broken_off compressed gzip=1
    # 416, and other errors.
    for value in star nototal wrong bare; do broken_off "416-$value" "status416=$value"; done
    broken_off twice-416 "status416=star&times=3"
    broken_off busy "rangestatus=503&rangetimes=1"
    broken_off too-many "rangestatus=429&rangetimes=1&retry=2"
    broken_off gone rangestatus=404
    broken_off expired rangestatus=401
    # The app's own conditions; the file changes before the second request.
    case_start conditional "/bytes/300000/conditional?drop=100000" -H 'If-None-Match: "mine"'
    case_start wanted "/bytes/300000/wanted?drop=100000&flip=1" -H "If-Match: $(tag_of wanted 1)"
    case_start known "/bytes/300000/known?drop=100000&flip=1" -H "If-None-Match: $(tag_of known 2)"
    # Bodies.
    case_start no-last-chunk "/bytes/300000/no-last-chunk?truncatechunked=1&times=1"
    case_start until-close "/bytes/300000/until-close?length=close"
    case_start two-lengths "/bytes/300000/two-lengths?duplength=different"
    case_start one-length-twice "/bytes/300000/one-length-twice?duplength=same"
    case_start empty "/bytes/0/empty"
    case_start slow-head "/bytes/300000/slow-head?slowheaders=1"
    case_start no-head "/bytes/300000/no-head?headrefused=1"
    cases_run
}

teardown_file() { cases_end; }
setup() { cases_recall; }
teardown() { cases_judge; }

broken_off() { case_start "$1" "/bytes/300000/$1?drop=100000${2:+&$2}"; }

# tag_of NAME VERSION   as the slow server makes it
tag_of() {
    printf '"%s"' "$(printf '/bytes/300000/%s %s 300000' "$1" "$2" | sha256sum | head -c 16)"
}

# --- combined

@test "a fitting part is appended: nothing is sent twice" {
    assert_arrived part
    assert_ranges part null bytes=100000-
    assert_statuses part 200 206
    [[ $(server_value start GET /bytes/300000/part ifRange 2) == \"*\" ]] || fail "no strong ETag in If-Range"
    assert_equal "$(bytes_sent part)" 300000 "bytes sent over both requests"
    refute_line_matching "^resumed $(case_id part) "
}

@test "a date serves as validator where there is no ETag" {
    assert_arrived date
    assert_ranges date null bytes=100000-
    assert_equal "$(server_value start GET /bytes/300000/date ifRange 2)" "Mon, 01 Jan 2024 01:00:00 GMT"
    assert_equal "$(bytes_sent date)" 300000 "bytes sent over both requests"
}

@test "a part without the total is appended when the total is known" {
    assert_arrived star
    assert_equal "$(bytes_sent star)" 300000 "bytes sent over both requests"
}

@test "a part that is silent about the ETag is appended" {
    assert_arrived silent-tag
    assert_equal "$(bytes_sent silent-tag)" 300000 "bytes sent over both requests"
}

@test "after a part shorter than asked for the next is asked for" {
    assert_arrived short
    assert_ranges short null bytes=100000- bytes=180000- bytes=260000-
    assert_equal "$(bytes_sent short)" 300000 "bytes sent over all requests"
}

@test "a chunked body is continued by a chunked part" {
    assert_arrived chunked
    assert_ranges chunked null bytes=100000-
    assert_equal "$(bytes_sent chunked)" 300000 "bytes sent over both requests"
}

@test "a reset is a lost connection like any other" {
    assert_arrived reset
    assert_equal "$(case_requests reset)" 2 "requests"
    # What a reset took with it is asked for again.
    first=$(server_value start GET /bytes/300000/reset range 2)
    [[ $first == null || $first =~ ^bytes=[0-9]+-$ ]] || fail "an odd range: $first"
}

@test "every further break goes on from what is held then" {
    assert_arrived thrice
    assert_ranges thrice null bytes=100000- bytes=200000-
    assert_equal "$(bytes_sent thrice)" 300000 "bytes sent over all requests"
}

@test "nothing held means no range" {
    assert_arrived before-a-byte
    assert_ranges before-a-byte null null
}

@test "each attempt begins from the original address, and the range goes along" {
    assert_arrived signed
    assert_equal "$(server_values start GET /signed range | tr '\n' ' ')" "null bytes=100000- "
    assert_ranges signed null bytes=100000-
}

# --- not combined

@test "a part without Content-Range is not combined" { assert_started_again range-missing; }
@test "a part from the wrong place is not combined" { assert_started_again range-wrongstart; }
@test "a part of a file of another length is not combined" { assert_started_again range-wrongtotal; }
@test "a part in another unit is not combined" { assert_started_again range-wrongunit; }
@test "a part with a senseless Content-Range is not combined" { assert_started_again range-garbage; }
@test "a part that ends before it begins is not combined" { assert_started_again range-reversed; }
@test "a part that ends behind the end is not combined" { assert_started_again range-beyond; }
@test "several parts are not combined" { assert_started_again multipart; }
@test "the whole sent as a part from 0 is not combined" { assert_started_again whole-as-part; }
@test "a part of another ETag is not combined" { assert_started_again other-tag; }
@test "a compressed part is not combined" { assert_started_again compressed-part; }
@test "a part longer than its range is not combined" { assert_started_again long-part; }
@test "a part shorter than its range is not combined" { assert_started_again thin-part; }
@test "a chunked part that goes on beyond its range is not combined" {
    assert_started_again long-chunked-part
}
@test "a chunked part that ends before its range does is not combined" {
    assert_started_again thin-chunked-part
}
@test "a part of a file whose length nobody says is not combined" { assert_started_again endless-part; }
@test "a part of another version is not combined" { assert_started_again other-version 2; }
@test "a part of another date is not combined" { assert_started_again other-version-by-date 2; }

# --- the whole instead

@test "a whole answer to a range replaces what is held" {
    assert_arrived ignoring
    assert_ranges ignoring null bytes=100000-
    assert_statuses ignoring 200 200
}

@test "a file that has grown is taken anew, at its new size" {
    assert_line "finished $(case_id growing) growing 301000"
    expected=$(python3 -c "
import hashlib, sys
sys.path.insert(0, '$ROOT/Scripts')
from slowserver.content import content
print(hashlib.sha256(content('/bytes/300000/growing', 0, 301000)).hexdigest())")
    assert_equal "$(sha256sum <"$HERE/growing" | cut -d ' ' -f 1)" "$expected" "the SHA-256"
}

@test "a file that has changed is taken anew" {
    assert_arrived changed 2
    assert_ranges changed null bytes=100000-
    assert_statuses changed 200 200
}

@test "a server whose ETag is another each time is answered with the whole" {
    assert_arrived fickle-tag
    assert_statuses fickle-tag 200 200
}

@test "without ranges, or without a strong validator, no range is asked for" {
    local name
    for name in rangeless unversioned weak young undated compressed; do
        assert_arrived "$name"
        assert_ranges "$name" null null
        assert_equal "$(server_value start GET "/bytes/300000/$name" ifRange 2)" null "$name: If-Range"
    done
}

# --- errors

@test "a 416 to what is held starts again, whatever it says, and its page goes nowhere" {
    local kind
    for kind in star nototal wrong bare; do
        assert_arrived "416-$kind"
        assert_ranges "416-$kind" null bytes=100000- null
        assert_statuses "416-$kind" 200 416 200
    done
}

@test "a second 416 fails" {
    local id
    id=$(case_id twice-416)
    assert_ranges twice-416 null bytes=100000- null bytes=100000-
    assert_line_matching "^complete $id NSURLErrorDomain -1011 .*416"
    assert_no_file "$HERE/twice-416"
}

@test "a busy server's error page does not replace what is held" {
    assert_arrived busy
    assert_ranges busy null bytes=100000- bytes=100000-
    assert_statuses busy 200 503 206
}

@test "Retry-After is waited for" {
    assert_arrived too-many
    assert_statuses too-many 200 429 206
    waited=$(python3 - "$(server_value end GET /bytes/300000/too-many time 2)" \
        "$(server_value start GET /bytes/300000/too-many time 3)" <<<'
import sys
print(int(1000 * (float(sys.argv[2]) - float(sys.argv[1]))))' )
    assert_between 2000 "$waited" 120000 "ms between the 429 and the next request"
}

@test "a 404 to what is held is the answer, and no file" {
    assert_line "refused $(case_id gone) gone status=404"
    assert_statuses gone 200 404
    assert_no_file "$HERE/gone"
}

@test "a 401 to what is held is visible" {
    assert_line "refused $(case_id expired) expired status=401"
    assert_line "complete $(case_id expired) nil"
    assert_no_file "$HERE/expired"
}

# --- the app's own conditions

@test "a request that goes on carries no other condition than If-Range" {
    assert_arrived conditional
    assert_ranges conditional null bytes=100000-
    assert_equal "$(server_values start GET /bytes/300000/conditional ifNoneMatch | tr '\n' ' ')" \
        '"mine" null ' "If-None-Match of each request"
    assert_equal "$(bytes_sent conditional)" 300000 "bytes sent over both requests"
}

@test "a file that changed is asked for again under the app's own If-Match, and its 412 is the answer" {
    assert_line "refused $(case_id wanted) wanted status=412"
    assert_ranges wanted null bytes=100000- null
    assert_statuses wanted 200 200 412
    assert_no_file "$HERE/wanted"
}

@test "a file that changed into what the app knows is answered with 304" {
    assert_line "refused $(case_id known) known status=304"
    assert_ranges known null bytes=100000- null
    assert_statuses known 200 200 304
    assert_no_file "$HERE/known"
}

# --- bodies

@test "a chunked body without its last chunk is not complete" {
    assert_arrived no-last-chunk
    # Its length is not known: that all of it is held cannot be known either.
    assert_ranges no-last-chunk null bytes=300000- null
}

@test "a body that the connection's end delimits is taken as it came" {
    assert_arrived until-close
    assert_equal "$(case_requests until-close)" 1 "requests"
}

@test "two different lengths are an error, the same one twice is none" {
    assert_line_matching "^complete $(case_id two-lengths) NSURLErrorDomain -1011 "
    assert_no_file "$HERE/two-lengths"
    assert_arrived one-length-twice
}

@test "a body of no bytes is a success" {
    assert_line "finished $(case_id empty) empty 0"
    assert_equal "$(stat -c %s "$HERE/empty")" 0 "the file's size"
}

@test "a head that comes slowly is waited for" { assert_arrived slow-head; }

@test "HEAD is never asked" {
    assert_arrived no-head
    ! grep -q '"method": "HEAD"' "$WORLD/server.log" || fail "a HEAD was sent"
}

@test "every download asks for identity, and nothing is left behind" {
    assert_equal "$(python3 - "$WORLD/server.log" <<<'
import json, sys
starts = [json.loads(line) for line in open(sys.argv[1])]
print({entry["acceptEncoding"] for entry in starts if entry["event"] == "start"})')" "{'identity'}"
    assert_equal "$(find "$URLSESSIOND_HOME/bodies" -type f)" "" "body files"
}
