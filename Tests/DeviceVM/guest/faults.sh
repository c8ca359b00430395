# Takes devices away and disturbs them during recordings. Each fault has a name, a begin and an end.

# Longer than a device may need to come back.
settle=5

# inject CONTROL…: presses buttons of the camera's driver. The first one names the fault.
inject() {
  fault_begins "$1"
  for control; do v4l2-ctl -d /dev/video0 -c "$control=1"; done
  fault_ends
  sleep $settle
}

# What is loaded and kept at the first use is no leak.
play_tone
start_recording warm-up
sleep 3
livesessions archive stop > /dev/null
sleep 2
usage before

start_recording unplugged
sleep $settle
for turn in {1..10}; do
  fault_begins $turn
  unplug_camera
  sleep $((turn % 4 + 1))
  [ $turn -ne 3 ] || livesessions status > $out/status-unplugged.txt
  plug_camera
  fault_ends
  sleep $settle
  [ $turn -ne 2 ] || usage camera-early
done
usage camera-late
stop_recording
stop_tone

# A buffer marked as damaged, a failure of the stream alone and of what opens it anew, a disconnected device.
play_tone
start_recording faulty
sleep $settle
inject inject_v4l2_buf_flag_error
fault_begins dropped
v4l2-ctl -d /dev/video0 -c percentage_of_dropped_buffers=50
sleep 3
v4l2-ctl -d /dev/video0 -c percentage_of_dropped_buffers=0
fault_ends
sleep $settle
inject inject_fatal_streaming_error
inject inject_vidioc_reqbufs_error inject_fatal_streaming_error
inject inject_vidioc_qbuf_error inject_fatal_streaming_error
inject inject_vidioc_streamon_error inject_fatal_streaming_error
inject wrap_sequence_number
inject disconnect
stop_recording
stop_tone

play_tone
start_recording deaf
sleep $settle
for turn in {1..10}; do
  fault_begins $turn
  unplug_card
  sleep $((turn % 3 + 1))
  plug_card
  fault_ends
  sleep $settle
  [ $turn -ne 2 ] || usage card-early
done
usage card-late
stop_recording
stop_tone

# What little was freed goes back to the kernel within a minute.
sleep 75
usage after
