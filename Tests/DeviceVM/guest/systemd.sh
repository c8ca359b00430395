# How the daemon lives under systemd: readiness, status line, reload, SIGKILL, stop, a configuration with a mistake.

daemon_was_replaced() {
  [ "$(property livesessionsd MainPID)" != "$daemon" ] && [ "$(property livesessionsd ActiveState)" = active ]
}
microseconds_to_ready() {
  echo $(($(property livesessionsd ActiveEnterTimestampMonotonic) - $(property livesessionsd ExecMainStartTimestampMonotonic)))
}

# Ready, and a status line that is true.
for unit in livesessions-hub.service livesessionsd.service livesessionsd.socket; do
  fact systemd.active.$unit "$(systemctl is-active $unit)"
done
fact systemd.ready_us "$(microseconds_to_ready)"
fact systemd.watchdog "$(property livesessionsd WatchdogUSec)"
fact_status systemd.status_online wait_until 10 status_text_begins "Online, no call"
systemctl stop livesessions-hub
fact_status systemd.status_waiting wait_until 20 status_text_begins "Waiting for the hub"
fact systemd.active_without_hub "$(systemctl is-active livesessionsd)"
# What the administrator changes while the hub is down must not lock the hub out of its own database.
fact_status systemd.add_user bash -c 'livesessions-hub add-user --title second --generate > /dev/null'
systemctl start livesessions-hub
fact_status systemd.status_again wait_until 40 status_text_begins "Online, no call"

# Reload takes a good policy and refuses one with a mistake.
fact_status systemd.reload_good systemctl reload livesessionsd
sed -i 's/^default = .*/defualt = "reject"/' /etc/livesessions/policy.toml
fact_status systemd.reload_bad systemctl reload livesessionsd
sed -i 's/^defualt = .*/default = "reject"/' /etc/livesessions/policy.toml
fact systemd.active_after_reload "$(systemctl is-active livesessionsd)"

# SIGKILL while an archive is recorded.
play_tone
daemon=$(property livesessionsd MainPID)
archive=$(livesessions archive start)
fact killed.id "$archive"
sleep 8
systemctl kill --kill-whom=main --signal=KILL livesessionsd
fact killed.at "$(date +%s%3N)"
fact_status killed.restarted wait_until 20 daemon_was_replaced
fact killed.restarts "$(property livesessionsd NRestarts)"
fact_status killed.online wait_until 40 is_online
fact killed.listed "$(livesessions archive list | grep "$archive")"
fact_status killed.verify livesessions archive verify "$archive"
cp -r "$(archive_folder "$archive")" $out/killed

# A stop ends an archive properly.
archive=$(livesessions archive start)
fact stopped.id "$archive"
sleep 4
begin=$(date +%s%3N)
systemctl stop livesessionsd
fact stopped.milliseconds $(($(date +%s%3N) - begin))
fact stopped.result "$(property livesessionsd Result)"
fact stopped.status "$(property livesessionsd ExecMainStatus)"
fact stopped.users "$(curl -s -o /dev/null -w '%{http_code}' $hub/healthz)"
fact_status stopped.verify livesessions archive verify --directory $archives "$archive"
fact stopped.listed "$(livesessions archive list --directory $archives | grep "$archive")"
cp -r "$(archive_folder "$archive")" $out/stopped
stop_tone

# A misspelt key: status 78, told with its place, and no second try.
sed -i 's/^frame_rate/frame_rat/' /etc/livesessions/device.toml
fact_status broken.start systemctl start livesessionsd
sleep 6
fact broken.state "$(property livesessionsd ActiveState)"
fact broken.status "$(property livesessionsd ExecMainStatus)"
fact broken.restarts "$(property livesessionsd NRestarts)"
fact broken.said "$(journalctl --no-pager --output=cat --unit livesessionsd | grep frame_rat | tail -n 1)"
sed -i 's/^frame_rat /frame_rate /' /etc/livesessions/device.toml
fact_status broken.repaired systemctl start livesessionsd
