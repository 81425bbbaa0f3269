# shellcheck shell=bash disable=SC2034
OFFERS="pace put dated"

launch() {
    # Started by root it becomes www-data, which keeps its DAV locks here.
    mkdir -p "$STATE/locks" && chmod 777 "$STATE/locks"
    background origin /usr/sbin/apache2 -f "$STATE/configuration" -DFOREGROUND
}

read_log() { cat "$STATE/access${1:+.$1}.log"; }

write_configuration() {
    local module
    for module in mpm_event authz_core authn_core mime env setenvif headers rewrite deflate filter ratelimit \
        dav dav_fs ssl; do
        echo "LoadModule ${module}_module /usr/lib/apache2/modules/mod_$module.so"
    done
    [[ $EUID -ne 0 ]] || printf 'User www-data\nGroup www-data\n'
    cat <<CONFIGURATION
ServerName 127.0.0.1
ServerRoot $STATE
PidFile $STATE/pid
DefaultRuntimeDir $STATE
ErrorLog $STATE/error.log
Mutex file:$STATE default
StartServers 1
TypesConfig /etc/mime.types
DavLockDB $STATE/locks/dav
LogFormat "%m\t%U\t%>s\t%{Range}i\t%{If-Range}i\t%{Authorization}i" requests
Listen 127.0.0.1:$PORT
Listen 127.0.0.1:$OTHER_PORT
Listen 127.0.0.1:$TLS_PORT
DocumentRoot $WWW
<Directory $WWW>
    Options FollowSymLinks
    Require all granted
    FileETag MTime Size
</Directory>
<LocationMatch ^/slow/>
    SetOutputFilter RATE_LIMIT
    SetEnv rate-limit $((PACE / 1024))
</LocationMatch>
<LocationMatch ^/(slow/)?dated/>
    Header unset ETag
    FileETag None
</LocationMatch>
<LocationMatch ^/(slow/)?zip/>
    AddOutputFilterByType DEFLATE text/plain
</LocationMatch>
<LocationMatch ^/(slow/)?packed/>
    Header set Content-Encoding gzip
</LocationMatch>
<Location /put/>
    Dav On
    LimitRequestBody 0
</Location>
<Location /small/>
    Dav On
    LimitRequestBody 100000
</Location>
<VirtualHost 127.0.0.1:$PORT>
    RewriteEngine on
    RewriteRule ^/near/(.*) http://127.0.0.1:$PORT/files/\$1 [R=302,L]
    RewriteRule ^/away/(.*) http://127.0.0.1:$OTHER_PORT/files/\$1 [R=302,L]
    CustomLog $STATE/access.log requests
</VirtualHost>
<VirtualHost 127.0.0.1:$OTHER_PORT>
    CustomLog $STATE/access.other.log requests
</VirtualHost>
<VirtualHost 127.0.0.1:$TLS_PORT>
    CustomLog $STATE/access.tls.log requests
    SSLEngine on
    SSLCertificateFile $STATE/tls.crt
    SSLCertificateKeyFile $STATE/tls.key
</VirtualHost>
CONFIGURATION
}
