# Records each of the camera's formats, and keeps what the camera itself gives beside it.

# Of the text that the camera draws, only the counter at the top.
v4l2-ctl -d /dev/video0 -c osd_text_mode=1

# The camera's own picture; the second, since the first is of the settings before.
capture_raw() {
  v4l2-ctl -d /dev/video0 --set-fmt-video="pixelformat=$1,width=$2,height=$3" --set-parm="$4" > /dev/null
  v4l2-ctl -d /dev/video0 --stream-mmap --stream-skip=1 --stream-count=1 --stream-to="$out/$recording/raw" > /dev/null
}

# record_mode FORMAT WIDTH HEIGHT RATE
record_mode() {
  systemctl stop livesessionsd
  set_mode "$@"
  if ! systemctl start livesessionsd; then
    fact "$1-$2.refused" "$(said device.toml)"
    return
  fi
  play_tone
  start_recording "$1-$2"
  sleep $seconds
  fact "$1-$2.camera" "$(v4l2-ctl -d /dev/video0 --get-fmt-video | sed -n "s/.*Pixel Format *: '\(.*\)'.*/\1/p")"
  stop_recording
  stop_tone
  capture_raw "$@"
}

seconds=20
small="YUYV UYVY NV12 NV21 YU12 YV12 RGB3 BGR3"
large="YUYV RGB3"
if [ $quick -eq 1 ]; then
  seconds=6
  small="UYVY BGR3"
  large=
fi
for format in $small; do record_mode $format 320 180 30; done
for format in $large; do record_mode $format 640 360 15; done
