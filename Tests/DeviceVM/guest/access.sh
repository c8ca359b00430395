# Cameras and sound cards that are busy, absent, forbidden or not what they should be, when a recording begins.
settings=/etc/livesessions/device.toml

# The daemon's last words that match, since the recording began.
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
  arecord -q -D plughw:Loopback,1,0 -f S16_LE -r 48000 -c 1 /dev/null &
  holder=$!
  sleep 1
}
let_go() {
  kill $holder
  wait $holder 2>/dev/null
}
forbid_camera() { chmod 0 /dev/video0 && chown root:root /dev/video0; }
permit_camera() { chown root:video /dev/video0 && chmod 0660 /dev/video0; }

# By name: "auto" takes the test picture when no camera is there.
set_key camera '"/dev/video0"'
systemctl restart livesessionsd
play_tone
without busy-camera hold_camera let_go camera:
without absent-camera unplug_camera plug_camera camera:
without forbidden-camera forbid_camera permit_camera camera:
stop_tone
play_tone
without busy-card hold_card let_go microphone:
without absent-card unplug_card plug_card microphone:
stop_tone

# wrong NAME KEY VALUE WORD: records with a device that cannot become right.
wrong() {
  cp $settings /root/settings
  set_key "$2" "$3"
  started=$(moment)
  if systemctl restart livesessionsd; then
    start_recording "$1"
    sleep 5
    fact "$1.said" "$(told "$4")"
    stop_recording
  else
    fact "$1.said" "$(told device.toml)"
  fi
  cp /root/settings $settings
}

play_tone
wrong no-camera camera '"/dev/null"' camera:
wrong no-such-camera camera '"/dev/video7"' camera:
wrong no-format camera '"/dev/video0"\npixel_format = "MJPG"' camera:
stop_tone
wrong no-such-card microphone '"plughw:Nothing"' microphone:
