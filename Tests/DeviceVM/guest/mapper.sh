# Puts the device mapper before the second disk: it can make a disk fail.
modprobe -a dm-mod dm-flakey
disk=/dev/mapper/archives
sectors=$(blockdev --getsz /dev/vdb)
works="0 $sectors linear /dev/vdb 0"
refuses_writes="0 $sectors flakey /dev/vdb 0 0 600 1 error_writes"
is_gone="0 $sectors error"

# turn_disk TABLE: from now on the disk is like that, also for what is under way.
turn_disk() {
  dmsetup suspend --noflush --nolockfs archives
  dmsetup load archives --table "$1"
  dmsetup resume archives
}

dmsetup create archives --table "$works"
