# Takes devices away during a recording and gives them back.
vivid=/sys/bus/platform/drivers/vivid

moment() { date +%s%3N; }

play_tone
sleep 1
daemon=$(property livesessionsd MainPID)
archive=$(livesessions archive start)
fact unplugged.id "$archive"
sleep 6
fact unplugged.at "$(moment)"
echo vivid.0 > $vivid/unbind
sleep 3
livesessions status > $out/status-unplugged.txt
fact plugged.at "$(moment)"
echo vivid.0 > $vivid/bind
sleep 9
fact unplugged.stopped "$(livesessions archive stop)"
fact_status unplugged.verify livesessions archive verify "$archive"
fact unplugged.same_daemon "$([ "$(property livesessionsd MainPID)" = "$daemon" ] && echo yes)"
cp -r "$(archive_folder "$archive")" $out/unplugged

# A stream that fails, buffers marked as damaged, buffers that are lost.
archive=$(livesessions archive start)
fact faulty.id "$archive"
sleep 5
v4l2-ctl -d /dev/video0 -c inject_v4l2_buf_flag_error=1
sleep 2
fact faulty.at "$(moment)"
v4l2-ctl -d /dev/video0 -c inject_fatal_streaming_error=1
sleep 8
fact faulty.stopped "$(livesessions archive stop)"
fact_status faulty.verify livesessions archive verify "$archive"
fact faulty.same_daemon "$([ "$(property livesessionsd MainPID)" = "$daemon" ] && echo yes)"
cp -r "$(archive_folder "$archive")" $out/faulty

# The sound card is unplugged; what plays into it ends, and begins anew when it is back.
aloop=/sys/bus/platform/drivers/snd_aloop
archive=$(livesessions archive start)
fact deaf.id "$archive"
sleep 4
fact deaf.at "$(moment)"
echo snd_aloop.0 > $aloop/unbind
stop_tone
sleep 2
echo snd_aloop.0 > $aloop/bind
play_tone
fact deaf.again "$(moment)"
sleep 8
fact deaf.stopped "$(livesessions archive stop)"
fact_status deaf.verify livesessions archive verify "$archive"
fact deaf.same_daemon "$([ "$(property livesessionsd MainPID)" = "$daemon" ] && echo yes)"
cp -r "$(archive_folder "$archive")" $out/deaf
stop_tone
