# Logs on the second disk's other half every write and flush that archives on its first half cause.
modprobe -a dm-mod dm-delay dm-log-writes
half=$(($(blockdev --getsz /dev/vdb) / 2))
dmsetup create archives-data --table "0 $half delay /dev/vdb 0 0 /dev/vdb 0 0 /dev/vdb 0 $flush_delay"
dmsetup create archives-log --table "0 $half linear /dev/vdb $half"
dmsetup create archives --table "0 $half log-writes /dev/mapper/archives-data /dev/mapper/archives-log"
disk=/dev/mapper/archives
fact log.offset $((half * 512))
# The log begins with an empty disk, so the host needs nothing else. A discard's effect would not be defined.
mkfs.ext4 -q -N 2048 -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 $disk
sync
archive_settings=$'segment = "10s"\nmax_total = "10MiB"\n'

# mark STEP [ARCHIVE [VALUE]]: notes in the log what has happened, with the time.
mark() { dmsetup message archives 0 mark "$1,${2:-},${3:-},$((${EPOCHREALTIME/./} / 1000))"; }

# Tells the time in the log until the end.
tell_time() {
  while :; do
    mark time
    sleep 0.08
  done
}
