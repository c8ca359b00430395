#!/bin/sh
# What `on_archive` runs: it writes down that it was run, with what, and what it may do in the unit's sandbox.
#
# It ends after the file `hold` has gone.
state=/var/lib/livesessions
echo "begun $LIVESESSIONS_ARCHIVE $1 $LIVESESSIONS_UPLOADED_TO" >> $state/ended
env | cut -d = -f 1 | sort | paste -s -d ' ' > $state/ended-environment
for place in /etc /usr /root /home; do
  touch "$place/mark" 2> /dev/null && echo "wrote $place" >> $state/ended
done
[ -s "$LIVESESSIONS_ARCHIVE_PATH/archive.json" ] || echo "no archive" >> $state/ended
while [ -e $state/hold ]; do sleep 0.2; done
echo "archive-ended has seen $LIVESESSIONS_ARCHIVE"
echo "ended $LIVESESSIONS_ARCHIVE" >> $state/ended
