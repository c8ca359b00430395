# Lets the drive that drive.sh began go on for a while, then takes gpsd away; later it comes back.

until [ "$(seconds_up | cut -d . -f 1)" -ge $((${drive_began%.*} + 38)) ]; do sleep 0.5; done
systemctl stop gpsd-replay
fact presence.gpsd_stopped "$(seconds_up)"
if [ $quick -eq 1 ]; then
  sleep 5
else
  # Longer than the hub remembers a device that is silent.
  sleep 75
  start_gpsd
  fact presence.gpsd_restarted "$(seconds_up)"
  sleep 45
fi
fact presence.end "$(seconds_up)"
kill $drive $watcher
wait $drive $watcher 2>/dev/null
