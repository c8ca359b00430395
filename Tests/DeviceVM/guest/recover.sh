# After the power cut: what the daemon made of the archive at its start.
archive=$(cat /host/archive)
fact recovered.listed "$(livesessions archive list | grep "$archive")"
fact_status recovered.verify livesessions archive verify "$archive"
cp -r "$(archive_folder "$archive")" $out/recovered
archive=$(livesessions archive start)
fact recovered.next "$archive"
sleep 2
fact recovered.next_stopped "$(livesessions archive stop)"
