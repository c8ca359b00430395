# Fills the disk while an archive is recorded, and makes room again.
play_tone
start_recording full
sleep 5
fallocate -l "$(($(df --output=avail --block-size=1M $archives | tail -n 1) - 20))M" $archives/ballast
fact_status full.ended wait_until 20 archive_ended
fact full.said "$(said "$archive|$archives")"
fact full.started_anyway "$(livesessions archive start 2>/dev/null)"
keep_recording
rm $archives/ballast
fact full.next "$(livesessions archive start)"
sleep 2
fact full.next_stopped "$(livesessions archive stop)"
fact full.same_daemon "$(same_daemon)"
stop_tone
