# Two further daemons beside the one without a name, each with its own files; one crashes while the other records.

yard=(--instance yard)
door=(--instance door)
online_at() { livesessions status "$@" --json | grep -q '"isOnline":true'; }
new_process() { [ "$(property livesessionsd@door MainPID)" != "$door_daemon" ] && [ "$(property livesessionsd@door ActiveState)" = active ]; }

for name in yard door; do
  install -d /etc/livesessions/$name
  sed -e "s|^title = .*|title = \"$name\"|" -e 's|^camera = .*|camera = "test:street"|' -e 's|^microphone = .*|microphone = "test:tone"|' \
    /etc/livesessions/device.toml > /etc/livesessions/$name/device.toml
  cp /etc/livesessions/policy.toml /etc/livesessions/$name/
  chown root:livesessions /etc/livesessions/$name/*.toml
  chmod 0640 /etc/livesessions/$name/*.toml
  livesessions-hub enrol-device --title "$name" --key-file "/etc/credstore/livesessions@$name.enrolment-key"
done
fact_status instances.check livesessions config check "${yard[@]}"
fact_status instances.verify systemd-analyze verify --man=no livesessionsd@yard.service livesessionsd@yard.socket
fact_status instances.start systemctl enable --now livesessionsd@yard livesessionsd@door
fact_status instances.yard_online wait_until 60 online_at "${yard[@]}"
fact_status instances.door_online wait_until 60 online_at "${door[@]}"
fact_status instances.unnamed_online wait_until 10 is_online
fact instances.titles "$(for words in "" "${yard[*]}" "${door[*]}"; do livesessions status $words | head -n 1; done)"
fact instances.users "$(livesessions users | awk '{print $2}' | sort | tr '\n' ' ')"
for name in yard door; do
  fact instances.$name.state "$(stat -c '%U %a' /var/lib/livesessions@$name)"
  fact instances.$name.files "$(ls /var/lib/livesessions@$name | tr '\n' ' ')"
  fact instances.$name.control "$(stat -c '%G %a' /run/livesessions@$name/control)"
  fact instances.$name.monitor "$(stat -c '%G %a' /run/livesessions@$name/monitor.sock)"
done
fact instances.wants "$(systemctl is-enabled livesessionsd@yard.service livesessionsd@yard.socket livesessionsd-monitor@yard.socket | tr '\n' ' ')"
fact_status instances.reload systemctl reload livesessionsd@yard
fact instances.doctor "$(livesessions doctor "${yard[@]}" --json 2>&1)"

# One's crash leaves the others: their processes, and a recording without a gap.
door_daemon=$(property livesessionsd@door MainPID)
yard_daemon=$(property livesessionsd@yard MainPID)
unnamed_daemon=$(property livesessionsd MainPID)
archive=$(livesessions archive start "${yard[@]}")
fact crashed.id "$archive"
sleep 4
systemctl kill --kill-whom=main --signal=SEGV livesessionsd@door
fact_status crashed.again wait_until 30 new_process
fact_status crashed.online wait_until 60 online_at "${door[@]}"
sleep 2
fact crashed.stopped "$(livesessions archive stop "${yard[@]}")"
fact crashed.restarts "$(for unit in livesessionsd@door livesessionsd@yard livesessionsd; do property $unit NRestarts; done | tr '\n' ' ')"
[ "$(property livesessionsd@yard MainPID)" = "$yard_daemon" ] && [ "$(property livesessionsd MainPID)" = "$unnamed_daemon" ]
fact crashed.same_daemon "$([ $? = 0 ] && echo yes)"
fact_status crashed.verify livesessions archive verify "${yard[@]}" "$archive"
cp -r "$(find /var/lib/livesessions@yard/archives -type d -name "$archive")" $out/crashed

# A stop of one stops no other.
systemctl disable --now livesessionsd@door
fact instances.stopped "$(for unit in livesessionsd@door livesessionsd@door.socket livesessionsd@yard livesessionsd; do systemctl is-active $unit; done | tr '\n' ' ')"
systemctl disable --now livesessionsd@yard
