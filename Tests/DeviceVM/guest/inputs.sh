# A cabinet's contact as a source of events, after buttons.sh has let the service open input devices: opened and closed, unplugged while it is
# closed and while it is open, open when the daemon starts.

start_contact() {
  mkfifo /run/contact
  exec 8<> /run/contact
  python3 -B /host/contact.py < /run/contact > $out/contact.txt 2>&1 &
}

# contact ORDER: returns when it is done.
contact() {
  local done
  done=$(wc -l < $out/contact.txt)
  echo "$1" >&8
  until [ "$(wc -l < $out/contact.txt)" -gt "$done" ]; do sleep 0.05; done
}

count_said() { journalctl --boot --no-pager --output=cat --unit=livesessionsd | grep -c -- "$1"; }
has_said() { [ "$(count_said "$2")" -ge "$1" ]; }
shows_sources() { livesessions status | grep 'event-sources' | grep -q 'since'; }

: > $out/contact.txt
start_contact
contact plug
cat >> /etc/livesessions/device.toml << END

[[event]]
name = "cabinet"
kind = "input"
key = { device = "Cabinet", code = "SW_MACHINE_COVER" }
post = "1s"
END
fact_status inputs.config livesessions config check
systemctl restart livesessionsd
wait_until 30 is_online
daemon=$(property livesessionsd MainPID)
sleep 2

# Opened for a while.
contact open
sleep 3
contact close
sleep 4

# Unplugged while it is closed.
contact unplug
fact_status inputs.lost wait_until 15 has_said 1 '"cabinet" notices nothing'
sleep 3
livesessions status > $out/status-contact.txt
contact plug
fact_status inputs.back wait_until 15 has_said 1 '"cabinet" can be read again'
contact open
sleep 2

# Unplugged while it is open; the switch of the one that is plugged is open at once.
contact unplug
sleep 4
contact plug
contact open
fact_status inputs.back_open wait_until 15 has_said 2 '"cabinet" can be read again'
sleep 3
contact close
sleep 4
fact inputs.same_daemon "$(same_daemon)"
fact inputs.lost_times "$(count_said '"cabinet" notices nothing')"
fact inputs.back_times "$(count_said '"cabinet" can be read again')"

# Open when the daemon starts.
contact open
sleep 2
systemctl restart livesessionsd
fact inputs.restarted "$(moment)"
wait_until 30 is_online
sleep 2
contact close
sleep 4
livesessions events --json > $out/inputs.jsonl
exec 8>&-
