# A loudspeaker beside the microphone, with a room between them: an announcement is played while the microphone is recorded,
# and from its middle on somebody near speaks as well. Once with echo cancellation, once without.

set_echo_cancellation() {
  systemctl stop livesessionsd
  sed -i '/^echo_cancellation/d' /etc/livesessions/device.toml
  sed -i "s/^speaker/echo_cancellation = \"$1\"\nspeaker/" /etc/livesessions/device.toml
  systemctl start livesessionsd
}

# Seconds that a process has used.
processor_time() { awk '{ print ($14 + $15) / 100 }' "/proc/$1/stat"; }

# record_room NAME
record_room() {
  /host/room hw:Loopback,1,0 hw:Loopback,1,1 /host/taps.txt /host/near.raw $near_after "$out/$1.heard.raw" \
    > "$out/$1.losses.txt" 2> "$out/$1.room.txt" &
  local room=$!
  sleep 1
  start_recording "$1"
  sleep 1
  fact_status "$1.say" livesessions say /var/lib/livesessions/far.wav
  sleep $((2 * near_after - 1))
  livesessions stats --json > "$out/$1.stats.json"
  sleep 2
  fact "$1.processor" "daemon $(processor_time $daemon) s, room $(processor_time $room) s"
  stop_recording
  kill $room
  wait $room
  fact "$1.losses" "$(cat "$out/$1.losses.txt")"
}

set_key camera '"none"'
set_key microphone '"hw:Loopback,0,1"'
set_key speaker '"hw:Loopback,0,0"'
install -m 0644 /host/far.wav /var/lib/livesessions/far.wav
for mode in full-duplex off; do
  set_echo_cancellation $mode
  record_room "echo-$mode"
done
fact_status echo.no_file livesessions say /nowhere/far.wav
