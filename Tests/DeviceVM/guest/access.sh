# Cameras and sound cards that are busy, absent, forbidden or not what they should be, when a recording begins.
settings=/etc/livesessions/device.toml

# One line for the host: what the daemon told since the recording began.
told() {
  journalctl --no-pager --output=cat --unit=livesessionsd --since "@$((started / 1000))" | grep -E -- "$1" | tail -n 1
}

# without NAME TAKE GIVE WORD: records while TAKE holds, and afterwards. WORD finds the daemon's words about it.
without() {
  started=$(moment)
  $2
  start_recording "$1"
  fault_begins missing
  sleep 4
  fact "$1.said" "$(told "$4")"
  $3
  fault_ends
  sleep 6
  stop_recording
}

hold_camera() {
  v4l2-ctl -d /dev/video0 --stream-mmap > /dev/null 2>&1 &
  holder=$!
  sleep 1
}
hold_card() {
  arecord -q -D hw:Loopback,1,0 -f S16_LE -r 48000 -c 2 /dev/null &
  holder=$!
  sleep 1
}
let_go() {
  kill $holder
  wait $holder 2>/dev/null
}
forbid_camera() { chmod 0 /dev/video0 && chown root:root /dev/video0; }
permit_camera() { chown root:video /dev/video0 && chmod 0660 /dev/video0; }

play_tone
without busy-camera hold_camera let_go 'camera|video0'
without absent-camera unplug_camera plug_camera 'camera|video0'
without forbidden-camera forbid_camera permit_camera 'camera|video0'
stop_tone
play_tone
without busy-card hold_card let_go 'microphone|Loopback'
without absent-card unplug_card plug_card 'microphone|Loopback'
stop_tone

# wrong NAME KEY VALUE WORD: records with a device that cannot become right.
wrong() {
  cp $settings /root/settings
  set_key "$2" "$3"
  [ "$2" != camera ] || set_key microphone '"plughw:Loopback,1,0"'
  started=$(moment)
  systemctl restart livesessionsd
  start_recording "$1"
  sleep 5
  fact "$1.said" "$(told "$4")"
  stop_recording
  cp /root/settings $settings
}

play_tone
wrong no-camera camera '"/dev/null"' /dev/null
wrong no-such-camera camera '"/dev/video7"' video7
wrong no-format camera '"/dev/video0"\npixel_format = "MJPG"' video0
stop_tone
wrong no-such-card microphone '"plughw:Nothing"' Nothing
