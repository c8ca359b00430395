# The device has booted in 1970; its clock is set during a recording, and called synchronised.

# As an NTP client that trusts its servers: adjtimex (159) sets maxerror, esterror and status to 0, no STA_UNSYNC.
call_clock_synchronised() { perl -e '$timex = pack("Lx204", 0x04 | 0x08 | 0x10); exit(syscall(159, $timex) < 0)'; }

# The hub's answer to somebody who logs in now.
is_listed() { curl -s --max-time 10 -H "Authorization: Bearer $(log_in)" $hub/v1/users | grep -q 'Front gate'; }

fact clock.year "$(date +%Y)"
play_tone
start_recording before
sleep 5
date -s '2026-11-21 12:00:00' > /dev/null
fact_status clock.synchronised call_clock_synchronised
sleep 8
stop_recording
fact_status clock.online wait_until 20 is_online
fact_status clock.listed wait_until 20 is_listed
start_recording after
sleep 3
stop_recording
stop_tone
# Longer than the hub remembers a device that is silent.
[ $quick -eq 1 ] || sleep 70
fact_status clock.still_listed is_listed
