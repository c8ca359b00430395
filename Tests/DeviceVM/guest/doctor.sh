# What `livesessions doctor` says of a device as installed, with the daemon and without, and of what is taken from it.

# diagnose NAME: its findings and its exit status.
diagnose() {
  local status=0
  fact "$1.report" "$(livesessions doctor --json 2>&1)"
  livesessions doctor > "$out/$1.txt" 2>&1 || status=$?
  fact "$1.status" $status
}

diagnose running
systemctl stop livesessionsd
touch /root/before
sleep 1
diagnose stopped
fact stopped.changed "$(find /etc /var/lib/livesessions /run/livesessions -xdev -newer /root/before -type f)"

chmod 0 /dev/video0 && chown root:root /dev/video0
diagnose forbidden-camera
chown root:video /dev/video0 && chmod 0660 /dev/video0

arecord -q -D plughw:Loopback,1,0 -f S16_LE -r 48000 -c 1 /dev/null &
holder=$!
sleep 1
diagnose busy-card
kill $holder
wait $holder 2>/dev/null

unplug_camera
set_key camera '"/dev/video0"'
diagnose absent-camera
set_key camera '"auto"'
plug_camera

systemctl stop gpsd.socket gpsd
diagnose no-gpsd

mkdir -p /etc/systemd/system/livesessionsd.service.d
printf '[Service]\nDeviceAllow=\nDeviceAllow=char-alsa rw\n' > /etc/systemd/system/livesessionsd.service.d/few.conf
diagnose few-devices
rm /etc/systemd/system/livesessionsd.service.d/few.conf
systemctl stop livesessions-hub
diagnose no-hub
systemctl start livesessions-hub livesessionsd
