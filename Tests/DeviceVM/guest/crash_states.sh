# Uses the archives in every way while each write to their disk is logged. What is marked, the daemon had answered.

begin_archive() {
  mark starting
  archive=$(livesessions archive start)
  mark started "$archive"
}

# Whatever ends the archive has been asked for.
await_end() {
  fact_status "ended.$archive" wait_until 30 archive_ended
  mark ended "$archive"
  cp "$(archive_folder "$archive")/archive.json" "$out/$archive.json"
}

end_archive() {
  mark stopping "$archive"
  livesessions archive stop
  await_end
}

rename_archive() {
  mark renaming "$1" "$2"
  livesessions archive rename "$1" "$2"
  mark renamed "$1" "$2"
}

is_gone() { livesessions archive list --json > /run/listed && ! grep -q "$1" /run/listed; }

play_tone
mark prepared
tell_time &
teller=$!

# Two segments; a name, a lock, and a copy of it all.
begin_archive
kept=$archive
sleep 13
end_archive
rename_archive "$kept" front-gate
mark locking "$kept"
livesessions archive lock "$kept"
mark locked "$kept"
mark exporting "$kept"
fact_status export.made livesessions archive export "$kept" --output $archives/export.webm
mark exported "$kept"
cp $archives/export.webm $out/export.webm

# It gets a name while it is recorded. By hand it is made so large that it goes when the next one ends.
begin_archive
outdated=$archive
sleep 2
rename_archive "$outdated" in-progress
sleep 2
end_archive
mark deleting "$outdated"
fallocate -l 10M "$(archive_folder "$outdated")/ballast"
begin_archive
sleep 3
end_archive
fact_status retention.deleted wait_until 30 is_gone "$outdated"
mark deleted "$outdated"

mark deleting "$archive"
livesessions archive delete "$archive"
mark deleted "$archive"
mark unlocking "$kept"
livesessions archive unlock "$kept"
mark unlocked "$kept"

# The daemon is killed; its next start recovers the archive.
begin_archive
sleep 3
mark stopping "$archive"
systemctl kill --signal=KILL livesessionsd
await_end

begin_archive
sleep 3
end_archive
kill $teller
wait $teller 2>/dev/null
mark finished
stop_tone
