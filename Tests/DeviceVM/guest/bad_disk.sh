# Disks that fail during recordings, and a folder that may not be written to.

becomes_read_only() { echo 1 > "/sys/fs/ext4/$(basename "$(readlink -f $disk)")/trigger_fs_error"; }

mend_disk() {
  turn_disk "$works"
  umount $archives
  # 1: errors were corrected.
  e2fsck -fy $disk > $out/e2fsck.txt 2>&1 || [ $? -eq 1 ]
  mount -o errors=remount-ro $disk $archives
}

# The next recording, with the same daemon.
record_again() {
  fact "$1.next" "$(livesessions archive start)"
  sleep 2
  fact "$1.next_stopped" "$(livesessions archive stop)"
  fact "$1.same_daemon" "$(same_daemon)"
}

# fails NAME COMMAND…: the command breaks the disk during a recording.
fails() {
  start_recording "$1"
  sleep 6
  fault_begins broken
  "${@:2}"
  fact_status "$1.told" wait_until 15 said "$archive"
  fact "$1.said" "$(said "$archive")"
  fact "$1.refused" "$(livesessions archive start 2>&1)"
  fact_status "$1.mended" mend_disk
  record_again "$1"
  systemctl restart livesessionsd
  wait_until 20 archive_ended
  keep_recording
}

play_tone
fails read-only becomes_read_only
fails no-writes turn_disk "$refuses_writes"
fails no-disk turn_disk "$is_gone"

# The folder belongs to somebody else already when the daemon starts.
chown root: $archives
chmod 0700 $archives
systemctl restart livesessionsd
daemon=$(property livesessionsd MainPID)
fact forbidden.refused "$(livesessions archive start 2>&1)"
fact forbidden.said "$(said "$archives")"
chown livesessions: $archives
record_again forbidden
stop_tone
