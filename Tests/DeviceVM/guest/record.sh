# Records the device's own streams for 20 seconds, without a call.

open_devices() {
  find "/proc/$(property livesessionsd MainPID)/fd" -lname '/dev/video*' -o -lname '/dev/snd/*' | wc -l
}

play_tone
sleep 1
start_recording record
sleep 10
fact record.devices_during "$(open_devices)"
livesessions status > $out/status-recording.txt
sleep 10
stop_recording
stop_tone
sleep 2
fact record.devices_after "$(open_devices)"
