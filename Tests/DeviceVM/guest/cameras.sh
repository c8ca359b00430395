# A further camera beside the main one, both recorded by a plan: the kernel's camera is the main one, a USB camera the further
# one. Each is unplugged and plugged while the other goes on.

main=/dev/v4l/by-path/platform-vivid.0-video-index0
settle=5
turns=3

is_recording() {
  archive=$(livesessions archive list | grep started | cut -d ' ' -f 1)
  [ -n "$archive" ] && [ -s "$(archive_folder "$archive")/device.webm" ] && [ -s "$(archive_folder "$archive")/yard.webm" ]
}

# The plan's archive by this name.
follow_recording() {
  recording=$1
  faults=
  fact_status "$1.begun" wait_until 20 is_recording
  fact "$1.id" "$archive"
  daemon=$(property livesessionsd MainPID)
  sleep $settle
}

# The daemon's words about cameras since the fault began, separated by bars.
said_since_fault() {
  journalctl --no-pager --output=cat --unit=livesessionsd --since "@$fault_second" | grep '^camera' | paste -s -d '|'
}

# replug NAME SECONDS UNPLUG PLUG: what takes the camera away and brings it back.
replug() {
  fault_second=$(date +%s)
  fault_begins "$1"
  $3
  sleep "$2"
  livesessions status > "$out/status-$1.txt"
  $4
  fault_ends
  sleep $settle
  fact "$recording.$1.said" "$(said_since_fault)"
}

unplug_usb_camera() { order unplug; }

fact_status usb.started start_usb_camera
fact_status usb.plugged plug_usb_camera
systemctl stop livesessionsd
set_key camera "\"$main\""
cat >> /etc/livesessions/device.toml << END

[[camera]]
name = "yard"
path = "$usb_camera"
pixel_format = "YUYV"
width = 320
height = 180
frame_rate = 15

[[plan]]
name = "all day"
when = "always"
END
fact_status cameras.config livesessions config check
# Its node belongs to nobody for a while.
chmod 0600 "$(readlink -f $usb_camera)" && chown root:root "$(readlink -f $usb_camera)"
fact cameras.node "$(readlink -f $usb_camera)"
livesessions doctor --json > $out/doctor-cameras.json
chown root:video "$(readlink -f $usb_camera)" && chmod 0660 "$(readlink -f $usb_camera)"
play_tone
fact_status cameras.start systemctl start livesessionsd

follow_recording yard-away
for turn in $(seq $turns); do
  replug "yard-$turn" $((turn + 1)) unplug_usb_camera plug_usb_camera
  [ "$turn" -ne 1 ] || usage yard-early
done
usage yard-late
livesessions status > $out/status-after.txt
stop_recording

# What was stopped by hand begins again.
systemctl reload livesessionsd
follow_recording main-away
for turn in $(seq $turns); do
  replug "main-$turn" $((turn + 1)) unplug_camera plug_camera
  [ "$turn" -ne 1 ] || usage main-early
done
usage main-late
stop_recording
stop_tone
order unplug
fact usb.errors "$(cat $out/usb-camera-errors.txt)"
