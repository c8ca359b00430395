# Uses the archives in every way while each write to their disk is logged. What is marked, the daemon had answered.

begin_archive() {
  mark starting
  archive=$(livesessions archive start)
  mark started "$archive"
}

# Whatever ends the archive has been asked for. It is on the disk when nobody works on it any more: then it can be repaired,
# which changes nothing.
await_end() {
  wait_until 30 archive_ended
  fact_status "ended.$archive" wait_until 30 livesessions archive repair "$archive"
  mark ended "$archive"
  cp "$(archive_folder "$archive")/archive.json" "$out/$archive.json"
}

end_archive() {
  mark stopping "$archive"
  livesessions archive stop
  await_end
}

is_gone() { livesessions archive list --json > /run/listed && ! grep -q "$1" /run/listed; }

play_tone
mark prepared
tell_time &
teller=$!

# Two segments; a lock meanwhile, a name, and a copy of it all.
begin_archive
kept=$archive
sleep 3
mark locking "$kept"
livesessions archive lock "$kept" && mark locked "$kept"
sleep 10
end_archive
mark renaming "$kept" front-gate
livesessions archive rename "$kept" front-gate && mark renamed "$kept" front-gate
fact_status export.made livesessions archive export "$kept" --output $archives/export.webm

# By hand it is made so large that it goes when the next one ends.
begin_archive
outdated=$archive
sleep 4
end_archive
mark deleting "$outdated"
fallocate -l 10M "$(archive_folder "$outdated")/ballast"
begin_archive
sleep 3
end_archive
fact_status retention.deleted wait_until 30 is_gone "$outdated"
mark deleted "$outdated"

mark deleting "$archive"
livesessions archive delete "$archive" && mark deleted "$archive"
mark unlocking "$kept"
livesessions archive unlock "$kept" && mark unlocked "$kept"

# The daemon is killed, once before there is anything to be played; its next start recovers the archive.
for seconds in 0 3; do
  begin_archive
  sleep $seconds
  mark stopping "$archive"
  systemctl kill --signal=KILL livesessionsd
  await_end
done

begin_archive
sleep 3
end_archive
kill $teller
wait $teller 2>/dev/null
mark finished
stop_tone
