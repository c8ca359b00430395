# Records until the host takes the power away; tells up to the last moment what time it is.

play_tone
archive=$(livesessions archive start)
fact cut.id "$archive"
sleep 7
keep_logs
touch $out/cut
for _ in {1..1000}; do
  echo "$EPOCHREALTIME" > $out/last-moment.new && mv $out/last-moment.new $out/last-moment
done
