# A USB camera in place of the kernel's.

# What the camera was asked for last.
mode() { sed -n 's/.* started //p' $out/usb-camera.txt | tail -n 1; }

# record_mode NAME FORMAT WIDTH HEIGHT RATE
record_mode() {
  systemctl stop livesessionsd
  set_mode "${@:2}"
  systemctl start livesessionsd
  play_tone
  fact "$1.asked" "$(moment)"
  start_recording "$1"
  sleep $seconds
  fact "$1.mode" "$(mode)"
  stop_recording
  stop_tone
}

# The daemon's words about the camera since the fault began, separated by bars.
said_since_fault() {
  journalctl --no-pager --output=cat --unit=livesessionsd --since "@$fault_second" | grep '^camera:' | paste -s -d '|'
}

# disturb NAME SECONDS [COMMAND…]: the camera has this fault for so long; the command does what is done but once.
disturb() {
  fault_second=$(date +%s)
  fault_begins "$1"
  order fault "$1"
  "${@:3}"
  sleep "$2"
  order fault none
  fault_ends
  sleep $settle
  fact "$recording.$1.said" "$(said_since_fault)"
}

# Longer than a camera may need to come back.
settle=5
seconds=10
turns=3
if [ $quick -eq 1 ]; then
  settle=4
  seconds=4
  turns=1
fi

unplug_camera
fact_status usb.started start_usb_camera
fact_status usb.plugged plug_usb_camera
livesessions devices > $out/devices.txt
livesessions devices --json > $out/devices-small.json
livesessions devices --json --size 640x360 --rate 15 > $out/devices-large.json

record_mode usb-mjpg MJPG 320 180 30
if [ $quick -eq 0 ]; then
  record_mode usb-any any 320 180 30
  record_mode usb-large any 640 360 15
fi

# By name: the node's number may be another one when it is back.
systemctl stop livesessionsd
set_key camera "\"$usb_camera\""
set_mode MJPG 320 180 30
systemctl start livesessionsd
play_tone
start_recording usb-unplugged
sleep $settle
for turn in $(seq $turns); do
  fault_begins $turn
  order unplug
  sleep $((turn + 1))
  order plug
  fault_ends
  sleep $settle
done
stop_recording
stop_tone

if [ $quick -eq 0 ]; then
  play_tone
  usage before
  start_recording usb-faulty
  sleep $settle
  disturb truncated 5
  disturb hollow 3
  disturb headless 3
  disturb marked 4
  disturb silent 5
  disturb stalled 0 order stall
  disturb refusing 4 order stall
  stop_recording
  stop_tone
  sleep 2
  usage after
fi
order unplug
fact usb.errors "$(cat $out/usb-camera-errors.txt)"
