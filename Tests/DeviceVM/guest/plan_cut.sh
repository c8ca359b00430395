# Waits until the plan records, with evidence that the hub vouches for, until the host takes the power away.
wait_until 30 is_recording
if [ ! -f $kept ]; then
  wait_until 30 test -s $state/evidence-certificate.json
  keep_device
  curl -s --max-time 20 $hub/.well-known/jwks.json > /host/hub-keys.json
fi
fact_status plan.recording wait_until 30 is_recording
echo "$archive" > /host/archive
. /host/await_cut.sh
