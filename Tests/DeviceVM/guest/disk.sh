# Puts the archives on the second disk, which outlives the machine and is small.
disk=${disk:-/dev/vdb}

use_disk() {
  systemctl stop livesessionsd
  mkdir -p $archives
  mount -o errors=remount-ro $disk $archives
  chown livesessions: $archives
  printf '\n[archive]\nmin_free = "24MiB"\n%s' "${archive_settings:-}" >> /etc/livesessions/device.toml
  systemctl start livesessionsd
}

blkid $disk >/dev/null || mkfs.ext4 -q $disk
fact_status disk.mounted use_disk
