# A door station as it is built in: button and door on a GPIO chip, the hub and its page elsewhere, on the host at 10.0.2.2.
# The host says when something is to happen, by files in /host/out, and learns by files when it has: their times are the host's.

modprobe virtio_net
udevadm settle
interface=$(basename "$(find /sys/class/net -name 'e*' | head -n 1)")
ip link set "$interface" up
ip address add 10.0.2.15/24 dev "$interface"
ip route add default via 10.0.2.2

systemctl stop livesessions-hub
install -m 0600 /host/enrolment-key /etc/credstore/livesessions.enrolment-key
set_key url "\"http://10.0.2.2:$hub_port\"\nallow_plain_http = true"
set_key title "\"$title\""
set_key addresses '["10.0.2.15"]'
cat >> /etc/livesessions/device.toml <<END
[[action]]
name = "open-door"
gpio = { chip = "door-chip", line = 3, pulse = "2s" }
[[button]]
name = "Bell"
gpio = { chip = "door-chip", line = 7 }
press = "call"
call = ["user:$callee"]
END
cat >> /etc/livesessions/policy.toml <<'END'
[[action_rule]]
action = ["open-door"]
caller = ["role:operator"]
in_call = true
END
fact_status station.config livesessions config check
systemctl restart livesessionsd
fact_status station.online wait_until 60 is_online

# Tells of the door's line as soon as it changes, with the guest's time.
watch_line() {
  python3 -B - "$level_file" $out <<'END'
import sys, time
level, changes = "0", 0
while True:
    with open(sys.argv[1]) as file:
        now = file.read().strip()
    if now != level:
        level, changes = now, changes + 1
        with open(f"{sys.argv[2]}/door-{changes}", "w") as file:
            file.write(f"{level} {time.monotonic()}")
    time.sleep(0.005)
END
}
# A host that gives up wants what follows to end soon, and the journal.
is_asked() { [ -e "$out/$1" ] || [ -e "$out/give-up" ]; }
wait_for_host() { wait_until 300 is_asked "$1"; }

watch_line &
watcher=$!
touch $out/ready

wait_for_host press
touch $out/pressed
echo pull-up > "$lines/sim_gpio7/pull"
sleep 0.3
echo pull-down > "$lines/sim_gpio7/pull"

wait_for_host kill
kill -9 "$(property livesessionsd MainPID)"
touch $out/killed
wait_for_host end
kill $watcher
fact station.said "$(said 'action .*(done|refused)')"
fact station.pictures "$(find /var/lib/livesessions/actions -name '*.jpg' | wc -l)"
