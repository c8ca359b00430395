# A door on the simulated GPIO chip: its line is active for its pulse, and inactive however the daemon ends.

fact actions.owner "$(stat -c '%G %a' /dev/$chip)"

microseconds() { echo $(($(date +%s%N) / 1000)); }

cat >> /etc/livesessions/device.toml <<'END'
[[action]]
name = "open-door"
gpio = { chip = "door-chip", line = 3, pulse = "2s" }
[[action]]
name = "whoami"
run = ["/usr/bin/env"]
[[event]]
name = "Contact"
kind = "input"
gpio = { chip = "door-chip", line = 4 }
post = "1s"
[[button]]
name = "Exit"
gpio = { chip = "door-chip", line = 5 }
press = "action open-door"
[[button]]
name = "Stranger"
gpio = { chip = "door-chip", line = 6, active_low = true }
press = "action open-door"
[[button]]
name = "Bell"
gpio = { chip = "door-chip", line = 7 }
press = "call"
END
echo "call = [\"user:$(python3 -B /host/bell.py user)\"]" >> /etc/livesessions/device.toml
echo pull-up > "$lines/sim_gpio6/pull"
cat >> /etc/livesessions/policy.toml <<'END'
[[action_rule]]
action = ["open-door", "whoami"]
caller = ["local", "button:Exit"]
END
fact_status actions.restart systemctl restart livesessionsd
fact actions.idle "$(level)"
fact actions.list "$(livesessions action list)"

# The pulse, as the line shows it.
fact_status actions.run livesessions action run open-door
fact actions.during "$(level)"
begun=$(microseconds)
fact_status actions.ended wait_until 10 is_inactive
fact actions.pulse_us $(($(microseconds) - begun))
fact_status actions.program livesessions action run whoami
fact actions.printed "$(said LIVESESSIONS_ACTION)"
fact_status actions.unknown livesessions action run window
fact actions.said "$(said 'action .*(done|refused)')"

# Buttons on lines of the same chip: one that the policy lets open the door, one that it does not, and a bell.
fact_status actions.press wait_until 1 is_inactive
pressed=$(microseconds)
echo pull-up > "$lines/sim_gpio5/pull"
fact_status actions.exit wait_until 5 is_active
fact actions.exit_us $(($(microseconds) - pressed))
echo pull-down > "$lines/sim_gpio5/pull"
wait_until 10 is_inactive
echo pull-down > "$lines/sim_gpio6/pull"
sleep 1
fact actions.stranger "$(level)"
echo pull-up > "$lines/sim_gpio6/pull"
fact actions.stranger_said "$(said 'refused to button:Stranger')"
fact_status actions.bell timeout 60 python3 -B /host/bell.py line $out/facts.txt "$lines/sim_gpio7/pull"

# A contact on another line: an event from when it opens until it is closed.
echo pull-up > "$lines/sim_gpio4/pull"
fact_status actions.contact wait_until 10 said 'input at "Contact" begins'
echo pull-down > "$lines/sim_gpio4/pull"
fact_status actions.contact_over wait_until 15 said 'input at "Contact" is over'
fact actions.contact_event "$(livesessions events --json | grep -c Contact)"

# SIGKILL at any moment of the pulse, and once while nothing moves.
for delay in 0 0.1 0.4 0.8 1.3 1.8 3; do
  wait_until 20 is_online
  livesessions action run open-door
  sleep $delay
  daemon=$(property livesessionsd MainPID)
  before=$(level)
  killed=$(microseconds)
  kill -9 "$daemon"
  status=0
  wait_until 10 is_inactive || status=$?
  fact "actions.killed.$delay" "delay $delay: level $before, then inactive ($status) after $(($(microseconds) - killed)) us"
  wait_until 20 livesessions action list
done
fact_status actions.restarted is_inactive

# Without ExecStopPost= the level would stay: what the chip does by itself.
mkdir -p /run/systemd/system/livesessionsd.service.d
printf '[Service]\nExecStopPost=\nRestart=no\n' > /run/systemd/system/livesessionsd.service.d/bare.conf
systemctl daemon-reload
systemctl restart livesessionsd
livesessions action run open-door
kill -9 "$(property livesessionsd MainPID)"
sleep 4
fact actions.bare_level "$(level)"
fact_status actions.safe livesessions action safe
fact actions.safe_level "$(level)"
rm -r /run/systemd/system/livesessionsd.service.d
systemctl daemon-reload

# An unplugged chip is an error, and no more.
systemctl restart livesessionsd
daemon=$(property livesessionsd MainPID)
echo 0 > $config/live
fact_status actions.unplugged livesessions action run open-door
fact actions.same_daemon "$(same_daemon)"
fact_status actions.contact_lost wait_until 15 said '"Contact" notices nothing'
fact actions.contact_status "$(livesessions status | grep event-sources)"
echo 1 > $config/live
udevadm settle
fact_status actions.back livesessions action run open-door
fact_status actions.contact_back wait_until 15 said '"Contact" can be read again'
