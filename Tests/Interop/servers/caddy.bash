# shellcheck shell=bash disable=SC2034
# Its own build has neither a rate limit nor a way to store what is sent to it.
OFFERS="dated"
# What it is sent goes on to itself, and it calls a body over its limit a fault of that other one.
REFUSAL=502

launch() {
    background origin /usr/bin/caddy run --adapter caddyfile --config "$STATE/configuration"
}

read_log() {
    python3 - "$STATE/access${1:+.$1}.log" <<'PYTHON'
import json
import sys

with open(sys.argv[1], encoding="utf-8") as log:
    for line in log:
        entry = json.loads(line)
        request = entry["request"]
        headers = [request["headers"].get(name, ["-"])[0] for name in ("Range", "If-Range", "Authorization")]
        print(request["method"], request["uri"], entry["status"], *headers, sep="\t")
PYTHON
}

write_configuration() {
    cat <<CONFIGURATION
{
	admin off
	auto_https off
	servers {
		protocols h1
		log_credentials
	}
}
(site) {
	bind 127.0.0.1
	root * $WWW
	@dated path /dated/*
	header @dated -ETag
	@packed path /packed/*
	header @packed Content-Encoding gzip
	@zip path /zip/*
	encode @zip gzip
	redir /near/* http://127.0.0.1:$PORT/files/{path.1} 302
	redir /away/* http://127.0.0.1:$OTHER_PORT/files/{path.1} 302
	request_body /small/* {
		max_size 100KB
	}
	reverse_proxy /small/* 127.0.0.1:$OTHER_PORT
	file_server
}
http://:$PORT {
	log {
		output file $STATE/access.log
	}
	import site
}
http://:$OTHER_PORT {
	log {
		output file $STATE/access.other.log
	}
	import site
}
https://127.0.0.1:$TLS_PORT {
	log {
		output file $STATE/access.tls.log
	}
	tls $STATE/tls.crt $STATE/tls.key
	import site
}
CONFIGURATION
}
