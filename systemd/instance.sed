# Makes the template livesessionsd@.service, and those of its sockets, from the units without a name: what is a
# daemon's own carries the instance's name (%i).
s/livesessionsd\.\(service\|socket\)/livesessionsd@%i.\1/g
s/livesessionsd-monitor\.socket/livesessionsd-monitor@%i.socket/g
s/^\(Description=.*\)$/\1 (%i)/
s|^ExecStart=/usr/bin/livesessionsd$|& --instance %i|
s|^ExecReload=.*|& --instance %i|
s|^ExecStopPost=.*|& --instance %i|
s|/usr/bin/livesessions doctor --gate|& --instance %i|
s|^StateDirectory=livesessions$|StateDirectory=livesessions@%i|
s|^RuntimeDirectory=livesessions$|RuntimeDirectory=livesessions@%i|
s|/run/livesessions/|/run/livesessions@%i/|
s|/etc/credstore/livesessions\.|/etc/credstore/livesessions@%i.|
s|^\(LoadCredential=[a-z-]*\):livesessions\.|\1:livesessions@%i.|
# Before it listens: the service's folder, as the service has it, so that systemd leaves owners of sockets in it as they are.
s|^DirectoryMode=.*|&\nExecStartPre=/usr/bin/install -d -m 0755 -o livesessions -g livesessions /run/livesessions@%i|
