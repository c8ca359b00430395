# Records until the host takes the power away.
play_tone
archive=$(livesessions archive start)
echo "$archive" > /host/archive
. /host/await_cut.sh
