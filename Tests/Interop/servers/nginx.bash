# shellcheck shell=bash disable=SC2034
OFFERS="pace put dated"

launch() {
    background origin "$(command -v nginx || echo /usr/sbin/nginx)" -c "$STATE/configuration" \
        -p "$STATE" -e "$STATE/error.log"
}

read_log() { cat "$STATE/access${1:+.$1}.log"; }

write_configuration() {
    [[ $EUID -ne 0 ]] || echo "user root;"
    cat <<CONFIGURATION
daemon off;
pid $STATE/pid;
events {}
http {
    log_format requests escape=none
        '\$request_method	\$request_uri	\$status	\$show_range	\$show_if_range	\$show_authorization';
    map \$http_range \$show_range { "" -; default \$http_range; }
    map \$http_if_range \$show_if_range { "" -; default \$http_if_range; }
    map \$http_authorization \$show_authorization { "" -; default \$http_authorization; }
    types { text/plain txt; }
    default_type application/octet-stream;
    client_body_temp_path $STATE/body; proxy_temp_path $STATE/proxy; fastcgi_temp_path $STATE/fastcgi;
    uwsgi_temp_path $STATE/uwsgi; scgi_temp_path $STATE/scgi;
    sendfile on;
    root $WWW;
    server {
        listen 127.0.0.1:$PORT;
        access_log $STATE/access.log requests;
        location /dated/ { etag off; }
        location /zip/ { gzip on; gzip_types text/plain; }
        location /packed/ { add_header Content-Encoding gzip; }
        location /slow/ {
            limit_rate $PACE;
            location /slow/dated/ { etag off; }
            location /slow/zip/ { gzip on; gzip_types text/plain; }
            location /slow/packed/ { add_header Content-Encoding gzip; }
        }
        location /near/ { rewrite ^/near/(.*) http://127.0.0.1:$PORT/files/\$1 redirect; }
        location /away/ { rewrite ^/away/(.*) http://127.0.0.1:$OTHER_PORT/files/\$1 redirect; }
        location /put/ { dav_methods PUT; client_max_body_size 0; }
        location /small/ { dav_methods PUT; client_max_body_size 100k; }
    }
    server {
        listen 127.0.0.1:$OTHER_PORT;
        access_log $STATE/access.other.log requests;
    }
    server {
        listen 127.0.0.1:$TLS_PORT ssl;
        access_log $STATE/access.tls.log requests;
        ssl_certificate $STATE/tls.crt;
        ssl_certificate_key $STATE/tls.key;
        location /slow/ { limit_rate $PACE; }
    }
}
CONFIGURATION
}
