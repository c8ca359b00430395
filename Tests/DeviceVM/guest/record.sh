# Records the device's own streams for 20 seconds, without a call.

open_devices() {
  find "/proc/$(property livesessionsd MainPID)/fd" -lname '/dev/video*' -o -lname '/dev/snd/*' | wc -l
}

play_tone
sleep 1
archive=$(livesessions archive start)
fact record.id "$archive"
sleep 10
fact record.devices_during "$(open_devices)"
livesessions status > $out/status-recording.txt
sleep 10
fact record.stopped "$(livesessions archive stop)"
stop_tone
fact_status record.verify livesessions archive verify "$archive"
fact record.listed "$(livesessions archive list | grep "$archive")"
cp -r "$(archive_folder "$archive")" $out/record
sleep 2
fact record.devices_after "$(open_devices)"
