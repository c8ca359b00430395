# Fills the disk while an archive is recorded, and makes room again.

archive_ended() { livesessions archive list | grep "$archive" | grep -qv started; }

play_tone
daemon=$(property livesessionsd MainPID)
archive=$(livesessions archive start)
fact full.id "$archive"
sleep 5
fallocate -l "$(($(df --output=avail --block-size=1M $archives | tail -n 1) - 20))M" $archives/ballast
fact_status full.ended wait_until 20 archive_ended
fact full.listed "$(livesessions archive list | grep "$archive")"
fact_status full.verify livesessions archive verify "$archive"
fact full.started_anyway "$(livesessions archive start 2>/dev/null)"
cp -r "$(archive_folder "$archive")" $out/full
rm $archives/ballast
archive=$(livesessions archive start)
fact full.next "$archive"
sleep 2
fact full.next_stopped "$(livesessions archive stop)"
fact full.same_daemon "$([ "$(property livesessionsd MainPID)" = "$daemon" ] && echo yes)"
stop_tone
