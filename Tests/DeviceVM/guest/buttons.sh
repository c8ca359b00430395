# A bell and a hang-up button, which are keys of an input device that is made here, plugged and unplugged.
modprobe -a evdev uinput
fact buttons.demo "$(python3 -B /host/bell.py user)"
cat >> /etc/livesessions/device.toml << EOF

[[button]]
name = "Bell"
key = { device = "Door keys", code = "KEY_F1" }
press = "call"
call = ["user:nobody", "user:$(python3 -B /host/bell.py user)"]

[[button]]
name = "Off"
key = { device = "Door keys", code = "KEY_F2" }
press = "hang-up"
EOF
fact_status buttons.config livesessions config check
# The service as it is shipped may open no input device.
python3 -B /host/bell.py hold 12 &
keys=$!
sleep 2
systemctl restart livesessionsd
wait_until 30 is_online
wait_until 15 said 'group input'
fact buttons.closed "$(said 'group input')"
wait $keys
install -d /etc/systemd/system/livesessionsd.service.d
cat > /etc/systemd/system/livesessionsd.service.d/buttons.conf << EOF
[Service]
SupplementaryGroups=input
DeviceAllow=char-input r
EOF
systemctl daemon-reload
systemctl restart livesessionsd
wait_until 30 is_online
daemon=$(property livesessionsd MainPID)
fact_status buttons.run timeout 240 python3 -B /host/bell.py run $out/facts.txt
fact buttons.same_daemon "$(same_daemon)"
fact buttons.status "$(livesessions status | grep -A 1 'until one answers')"
fact buttons.said "$(said 'button "Bell": pressed')"
