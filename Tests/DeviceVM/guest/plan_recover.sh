# After the power cut: what the daemon made of the plan's archive at its start, and what its evidence says.
archive=$(cat /host/archive)
recording=recovered
wait_until 30 archive_ended
keep_recording
livesessions archive verify --evidence "$(archive_folder "$archive")" --hub-key /host/hub-keys.json --json \
  > $out/evidence.json 2> $out/evidence.txt
fact recovered.evidence $?
mv /host/moments $out/
