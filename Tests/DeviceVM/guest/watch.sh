# A device that watches for itself: a bar that moves and then stands still, bursts of sound, a camera that is covered and
# unplugged, and the drive that drive.sh began, out of an area. Each thing that happens is written down with its time; plans record what is noticed.

# Patterns of the camera: lines of ten pixels that cross, and nothing.
cross=19
black=5

control() { v4l2-ctl -d /dev/video0 -c "$1"; }
# happens NAME, is_over NAME: when something begins and ends before the camera or the microphone.
happens() { fact "watch.$1.begin" "$(moment)"; }
is_over() { fact "watch.$1.end" "$(moment)"; }

watch_for() {
  systemctl stop livesessionsd
  cat >> /etc/livesessions/device.toml <<'EOF'

[[event]]
name = "yard"
kind = "motion"
post = "3s"

[[event]]
name = "camera"
kind = "tamper"

[[event]]
name = "glass"
kind = "sound"
post = "2s"

[[geofence]]
name = "depot"
latitude = 52.5163
longitude = 13.3777
radius = "600m"

[[plan]]
name = "moves"
when = "events"
sources = ["yard"]
pre_roll = "5s"
post_roll = "3s"

[[plan]]
name = "noises"
when = "events"
sources = ["glass"]
pre_roll = "5s"
post_roll = "3s"
EOF
  systemctl start livesessionsd
}

move_bar() {
  happens "$1"
  control horizontal_movement=5
  sleep 4
  control horizontal_movement=3
  is_over "$1"
}

# Within two seconds of when the drive began.
fact watch.drive.begin "$(moment)"
# The camera's text counts pictures, and would move all the time.
control osd_text_mode=2
control "test_pattern=$cross"
control horizontal_movement=3
watch_for
wait_until 30 is_online
aplay -q -D plughw:Loopback,0,0 /host/bursts.wav &
player=$!
fact watch.sound.begin "$(moment)"
sleep 15
move_bar first-bar
sleep 15
move_bar second-bar
sleep 15
happens covered
control "test_pattern=$black"
sleep 10
control "test_pattern=$cross"
is_over covered
sleep 10
happens unplugged
unplug_camera
sleep 8
plug_camera
is_over unplugged
sleep 15
wait $player
livesessions status > $out/status-watch.txt
livesessions events --json > $out/events.jsonl
fact_status watch.verify livesessions archive verify
cp -r $archives $out/archives
cp -r /var/lib/livesessions/events $out/events
kill $drive $watcher
wait $drive $watcher 2>/dev/null
