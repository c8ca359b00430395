# After the power cut: what the daemon made of the archive at its start.
archive=$(cat /host/archive)
recording=recovered
keep_recording
mv /host/moments $out/
