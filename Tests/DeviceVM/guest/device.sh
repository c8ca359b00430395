# What all scenarios share: the device is installed and started as the README says; facts are written down for the host.
out=/host/out
hub=http://127.0.0.1:8080
archives=/var/lib/livesessions/archives

# Names a value that the host will judge.
fact() { printf '%s\t%s\n' "$1" "${2//$'\n'/ }" >> $out/facts.txt; }

# Runs a command and writes its exit status down.
fact_status() {
  local name=$1 status=0
  shift
  "$@" || status=$?
  fact "$name" $status
}

seconds_up() { cut -d ' ' -f 1 /proc/uptime; }

# wait_until SECONDS COMMAND…: repeats the command until it succeeds.
wait_until() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $deadline ] || return 1
    sleep 0.25
  done
}

# Milliseconds of the wall clock, as manifests count them.
moment() { date +%s%3N; }

is_online() { livesessions status --json | grep -q '"isOnline":true'; }
property() { systemctl show --property="$2" --value "$1"; }
status_text_begins() { case $(property livesessionsd StatusText) in "$1"*) ;; *) return 1 ;; esac; }
archive_folder() { find $archives -type d -name "$1"; }

archive_ended() { livesessions archive list | grep "$archive" | grep -qv started; }
same_daemon() { [ "$(property livesessionsd MainPID)" = "$daemon" ] && echo yes; }

# The daemon's last lines that match.
said() {
  journalctl --boot --since "$installed_at" --no-pager --output=cat --unit=livesessionsd | grep -E -- "$1" | tail -n 3 |
    grep .
}

# set_key KEY VALUE: replaces a line of the device's settings, which it reads at its start.
set_key() { sed -i "s|^$1 = .*|$1 = $2|" /etc/livesessions/device.toml; }

# set_mode FORMAT WIDTH HEIGHT RATE: of the camera; the format "any" leaves that to the daemon.
set_mode() {
  set_key width "$2"
  set_key height "$3"
  set_key frame_rate "$4"
  sed -i '/^pixel_format/d' /etc/livesessions/device.toml
  [ "$1" = any ] || sed -i "s/^width/pixel_format = \"$1\"\nwidth/" /etc/livesessions/device.toml
}

# start_recording NAME: its results and facts go by this name.
start_recording() {
  recording=$1
  faults=
  daemon=$(property livesessionsd MainPID)
  archive=$(livesessions archive start)
  fact "$recording.id" "$archive"
}

stop_recording() {
  fact "$recording.stopped" "$(livesessions archive stop)"
  fact "$recording.same_daemon" "$(same_daemon)"
  keep_recording
}

# Hands the host a recording that has ended, in whatever way.
keep_recording() {
  fact_status "$recording.verify" livesessions archive verify "$archive"
  fact "$recording.listed" "$(livesessions archive list | grep "$archive")"
  cp -r "$(archive_folder "$archive")" "$out/$recording"
}

# fault_begins NAME, fault_ends: when something was taken away from the recording, and given back.
fault_begins() {
  fault=$1
  faults="$faults $fault"
  fact "$recording.faults" "$faults"
  fact "$recording.$fault.begin" "$(moment)"
}
fault_ends() { fact "$recording.$fault.end" "$(moment)"; }

descriptors() { find "/proc/$daemon/fd" -type l | wc -l; }
memory() { sed -n 's/^RssAnon:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$daemon/status"; }
# usage NAME: what the daemon holds.
usage() {
  fact "usage.$1.descriptors" "$(descriptors)"
  fact "usage.$1.memory" "$(memory)"
}

# Every boot resumes the same state: without this all of them would draw the same random numbers.
stir_random_numbers() {
  perl -e 'open R, "+<", "/dev/urandom"; open S, "<", "/host/entropy"; syswrite R, <S>; exit !ioctl R, 0x5207, 0'
}

make_accounts() {
  livesessions-hub add-user --title demo --role operator --generate > /root/password &&
    livesessions-hub enrol-device --title "Front gate" --key-file /etc/credstore/livesessions.enrolment-key
}

install_device() {
  fact boot.begin "$(seconds_up)"
  fact_status boot.random stir_random_numbers
  installed_at=$(date '+%F %T')
  cp -r --preserve=mode /host/root/. /
  cp /host/tone.wav /host/drive.txt /root/
  systemctl daemon-reload
  fact_status install.sysusers systemd-sysusers
  fact_status install.tmpfiles systemd-tmpfiles --create
  make_accounts || {
    fact install.accounts refused
    # The rest is worth knowing all the same.
    install -d -m 0700 /var/lib/livesessions-hub
    make_accounts
  }
  fact_status install.start systemctl start livesessions-hub livesessionsd
  fact_status install.online wait_until 30 is_online
  fact install.seconds "$(seconds_up)"
}

# A token of the account `demo`.
log_in() {
  local body="{\"userTitle\":\"demo\",\"password\":\"$(cat /root/password)\"}"
  curl -s --max-time 20 -H 'Content-Type: application/json' -d "$body" $hub/v1/login |
    sed -n 's/.*"accessToken" *: *"\([^"]*\)".*/\1/p'
}

# A tone of 1,000 Hz into the far side of the loopback sound card.
play_tone() {
  aplay -q -D plughw:Loopback,0,0 /root/tone.wav &
  tone=$!
}

stop_tone() {
  kill $tone 2>/dev/null
  wait $tone 2>/dev/null
}

vivid=/sys/bus/platform/drivers/vivid
aloop=/sys/bus/platform/drivers/snd_aloop
unplug_camera() { echo vivid.0 > $vivid/unbind; }
plug_camera() { echo vivid.0 > $vivid/bind; }

# What plays into the card ends with it, and begins anew when it is back.
unplug_card() {
  echo snd_aloop.0 > $aloop/unbind
  stop_tone
}
plug_card() {
  echo snd_aloop.0 > $aloop/bind
  play_tone
}

keep_logs() {
  fact boot.errors "$(journalctl --boot --no-pager --output=cat --priority=err --unit='livesessions*')"
  livesessions status > $out/status.txt 2>&1
  journalctl --boot --since "$installed_at" --no-pager --output=short-monotonic > $out/journal.txt
  fact boot.end "$(seconds_up)"
}
