# What keeps or rolls back an update: the gate before boot-complete.target, RAUC's and Mender's hooks behind it, restarts
# that wait for the device to be idle.

examples=/usr/share/doc/livesessions/examples

# gate NAME: its line and its exit status.
gate() {
  local status=0
  fact "$1.line" "$(livesessions doctor --gate --within "${2:-5s}" 2>&1)"
  livesessions doctor --gate --within 1s > /dev/null 2>&1 || status=$?
  fact "$1.status" $status
}
# reach_boot NAME: whether boot-complete.target is reached.
reach_boot() {
  systemctl stop boot-complete.target livesessions-gate
  fact_status "$1.boot" systemctl start boot-complete.target
  fact "$1.gate" "$(systemctl is-active livesessions-gate)"
}
new_daemon() { [ "$(property livesessionsd MainPID)" != "$daemon" ] && is_online; }

systemctl enable livesessions-gate
gate whole 20s
fact whole.json "$(livesessions doctor --gate --within 5s --json)"
reach_boot whole

# RAUC: a slot is marked good by its own means, a handler script of the boot loader.
if command -v rauc > /dev/null; then
  mkdir -p /etc/rauc
  cat > /etc/rauc/backend <<'END'
#!/bin/sh
echo "$*" >> /root/rauc
[ "$1" != get-primary ] || echo A
[ "$1" != get-state ] || echo bad
END
  chmod +x /etc/rauc/backend
  cat > /etc/rauc/system.conf <<'END'
[system]
compatible=test
bootloader=custom
statusfile=/root/rauc.status
[handlers]
bootloader-custom-backend=/etc/rauc/backend
[keyring]
path=/etc/rauc/ca.pem
[slot.rootfs.0]
device=/dev/vdy
type=raw
bootname=A
[slot.rootfs.1]
device=/dev/vdz
type=raw
bootname=B
END
  : > /etc/rauc/ca.pem
  mkdir -p /etc/systemd/system/rauc.service.d
  printf '[Service]\nExecStart=\nExecStart=/usr/bin/rauc --override-boot-slot=A service\n' > /etc/systemd/system/rauc.service.d/slot.conf
  cp $examples/rauc/livesessions-rauc-mark-good.service /etc/systemd/system/
  systemctl daemon-reload
  systemctl reload dbus
  systemctl stop boot-complete.target
  fact_status rauc.good systemctl start livesessions-rauc-mark-good
  fact rauc.marked "$(grep set-state /root/rauc)"
  rm -f /root/rauc
else
  fact rauc.good absent
fi

# Without the hub: no failure of an update.
systemctl stop livesessions-hub
gate alone 3s
systemctl start livesessions-hub
fact_status alone.again wait_until 60 is_online

# Without the camera: a failure.
unplug_camera
gate blind 3s
reach_boot blind
if [ -f /etc/rauc/backend ]; then
  fact_status rauc.bad systemctl start livesessions-rauc-mark-good
  fact rauc.unmarked "$(grep set-state /root/rauc 2> /dev/null)"
fi
plug_camera
fact_status seeing.gate livesessions doctor --gate --within 30s
reach_boot seeing

# Mender: an artifact of one file whose state script is the gate; what is committed stays, what is not is rolled back.
if command -v mender > /dev/null; then
  mkdir -p /etc/mender /data/mender # where /var/lib/mender leads
  echo '{"ServerURL": "https://mender.invalid"}' > /etc/mender/mender.conf
  echo artifact_name=old > /etc/mender/artifact_info
  echo device_type=test > /var/lib/mender/device_type
  # An update module that can be rolled back, and changes nothing.
  mkdir -p /usr/share/mender/modules/v3
  cat > /usr/share/mender/modules/v3/note <<'END'
#!/bin/sh
echo "$1" >> /root/mender
[ "$1" != SupportsRollback ] || echo Yes
[ "$1" != NeedsArtifactReboot ] || echo No
END
  chmod +x /usr/share/mender/modules/v3/note
  for name in good bad; do
    [ $name = good ] || unplug_camera
    mender install /host/$name.mender > "$out/mender-$name.txt" 2>&1
    fact mender.$name.installed $?
    mender commit >> "$out/mender-$name.txt" 2>&1
    fact mender.$name.committed $?
    fact mender.$name.steps "$(tr '\n' ' ' < /root/mender)"
    rm -f /root/mender
    [ $name = good ] || plug_camera
  done
  fact mender.artifact "$(mender show-artifact 2> /dev/null)"
else
  fact mender.good.installed absent
fi
fact_status seeing.again livesessions doctor --gate --within 30s

# A restart waits for a manual recording, says so, and gives up or goes ahead after its time.
daemon=$(property livesessionsd MainPID)
archive=$(livesessions archive start)
fact busy.id "$archive"
fact busy.said "$(livesessions restart --when-idle --within 3s 2>&1)"
fact busy.daemon "$(same_daemon)"
# The package's script as an upgrade runs it, with upgrade_restart.
fact_status upgrade.set livesessions config set device.upgrade_restart when-idle
fact_status upgrade.script sh /host/postinst configure 0.1
sleep 4
fact upgrade.daemon "$(same_daemon)"
fact upgrade.said "$(journalctl --no-pager --output=cat --unit='livesessions-restart-*' | grep waits)"
fact busy.stopped "$(livesessions archive stop)"
fact_status upgrade.restarted wait_until 60 new_daemon
fact_status busy.verify livesessions archive verify "$archive"
fact busy.listed "$(livesessions archive list | grep "$archive")"
cp -r "$(archive_folder "$archive")" $out/busy
daemon=$(property livesessionsd MainPID)
fact_status idle.restart livesessions restart --when-idle --within 10s
fact_status idle.online wait_until 60 new_daemon
fact_status never.set livesessions config set device.upgrade_restart never
daemon=$(property livesessionsd MainPID)
sh /host/postinst configure 0.1
sleep 2
fact never.daemon "$(same_daemon)"
