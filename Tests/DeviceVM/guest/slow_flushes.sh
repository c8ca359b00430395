# Lets the second disk take its time for each flush, as cheap cards do.
modprobe -a dm-mod dm-delay
sectors=$(blockdev --getsz /dev/vdb)
dmsetup create archives --table "0 $sectors delay /dev/vdb 0 0 /dev/vdb 0 0 /dev/vdb 0 $flush_delay"
disk=/dev/mapper/archives
