# Starts gpsd, plays a drive to it, and asks the hub every two seconds where the device is. All go on in the background.

start_gpsd() { systemd-run --quiet --unit=gpsd-replay gpsd -n -N udp://127.0.0.1:5000; }

play_drive() {
  while IFS='|' read -r gga rmc; do
    printf '%s\r\n%s\r\n' "$gga" "$rmc" > /dev/udp/127.0.0.1/5000
    sleep 1
  done < /root/drive.txt
}

watch_users() {
  while :; do
    printf '%s\t%s\n' "$(seconds_up)" \
      "$(curl -s --max-time 10 -H "Authorization: Bearer $token" $hub/v1/users)" >> $out/users.txt
    sleep 2
  done
}

token=$(log_in)
start_gpsd
wait_until 10 bash -c '> /dev/tcp/127.0.0.1/2947'
drive_began=$(seconds_up)
fact drive.begin "$drive_began"
play_drive 2>/dev/null &
drive=$!
watch_users &
watcher=$!
