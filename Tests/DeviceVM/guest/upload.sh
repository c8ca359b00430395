# Recordings leave the device, encrypted, to a web server in the guest, by the service as it is shipped. The server goes away, stops reading;
# the daemon is restarted and killed, each in the middle of a file; certificate and password are wrong for a while.

store=/srv/store
settings=/etc/livesessions
state=/var/lib/livesessions
secret=$(head -c 24 /dev/urandom | base64 | tr -dc 'a-zA-Z0-9')
authorization="Basic $(printf 'device:%s' "$secret" | base64)"
# Bytes of a file of each archive that takes some seconds to send, and when to interrupt it.
ballast=4000000
middle=1500000

start_store() {
  python3 -B /host/store.py $store 9443 2>> $out/store-errors.txt &
  store_process=$!
}

prepare_store() {
  # What has been sent has arrived, but for little: loopback's buffers would take a whole file.
  sysctl -qw net.ipv4.tcp_wmem="4096 65536 131072" net.ipv4.tcp_rmem="4096 65536 131072"
  install -d $store
  cp /host/upload/store.pem $store/certificate.pem
  cp /host/upload/store.key $store/key.pem
  echo "$authorization" > $store/authorization
  start_store
}

configure() {
  install -m 0755 /host/archive_ended.sh /usr/local/bin/archive-ended
  install -m 0644 /host/upload/store.pem $settings/store.pem
  install -m 0644 /host/upload/recordings.pem $settings/recordings.pem
  install -m 0600 /dev/null /etc/credstore/livesessions.upload-credentials
  echo "$authorization" > /etc/credstore/livesessions.upload-credentials
  install -d /etc/systemd/system/livesessionsd.service.d
  cat > /etc/systemd/system/livesessionsd.service.d/upload.conf << 'END'
[Service]
LoadCredential=upload-credentials:livesessions.upload-credentials
END
  cat >> $settings/device.toml << 'END'

[upload]
url = "https://localhost:9443/incoming"
prefix = "gate"
ca_file = "/etc/livesessions/store.pem"
encrypt_for = "/etc/livesessions/recordings.pem"
max_bitrate = "6Mbit/s"

[archive]
on_archive = ["/usr/local/bin/archive-ended", "an argument"]

[evidence]
enabled = true
END
  systemctl daemon-reload
}

add_ballast() { head -c $ballast /dev/urandom > "$1/more.bin" && chown livesessions: "$1/more.bin"; }
# record_archive NAME [large]
record_archive() {
  archive=$(livesessions archive start)
  fact "upload.$1.id" "$archive"
  sleep 3
  [ "${2:-}" != large ] || add_ballast "$(archive_folder "$archive")"
  livesessions archive stop > /dev/null
}

newest_attempt() { find $store/attempts -name "*-$1" | sort | tail -n 1; }
# Of the archive's large file so much has arrived that it is in the middle.
is_in_the_middle() {
  grep "$archive/more.bin" $store/requests.jsonl | tail -n 1 | grep -q attempt &&
    [ "$(stat -c %s "$(newest_attempt more.bin.cms)")" -ge $middle ]
}
is_uploaded() { livesessions archive list | grep "$1" | grep -q uploaded; }
has_ended() { grep -q "ended $1" $state/ended; }
failures() {
  livesessions status --json | tr -d '\n' | grep -o '"upload":{[^}]*}' | grep -o '"failures":[0-9]*' | cut -d : -f 2
}
has_failed_again() { [ "$(failures)" -gt "$1" ]; }
# told WORDS: how often the daemon has said so.
told() { journalctl --boot --since "$installed_at" --no-pager --output=cat --unit=livesessionsd | grep -c -- "$1"; }
upload_problem() { livesessions status | grep -A 1 upload | paste -s -d ' '; }

# arrives NAME: the archive is uploaded, within so many milliseconds from now.
arrives() {
  local begin
  begin=$(moment)
  fact_status "upload.$1.uploaded" wait_until 60 is_uploaded "$archive"
  fact "upload.$1.after" $(($(moment) - begin))
}

systemctl stop livesessionsd
prepare_store
configure
fact_status upload.config livesessions config check
fact_status upload.start systemctl start livesessionsd
wait_until 30 is_online
livesessions doctor --json > $out/doctor-upload.json
play_tone

# Nothing happens.
record_archive plain
arrives plain
# By the unit and the field at once.
fact upload.plain.field "$(
  journalctl --boot --no-pager --output=cat --unit=livesessionsd LIVESESSIONS_ARCHIVE="$archive" | paste -s -d '|')"

# The store goes away and comes back.
record_archive gone large
fact_status upload.gone.middle wait_until 30 is_in_the_middle
kill -9 $store_process
wait $store_process 2> /dev/null
wait_until 10 said 'cannot be reached'
sleep 4
fact upload.gone.status "$(upload_problem)"
fact upload.gone.told "$(told 'cannot be reached')"
start_store
arrives gone
fact upload.gone.over "$(told 'archives are uploaded again')"

# The daemon is restarted while the store takes, and while it has stopped reading.
record_archive restarted large
fact_status upload.restarted.middle wait_until 30 is_in_the_middle
begin=$(moment)
systemctl restart livesessionsd
fact upload.restarted.milliseconds $(($(moment) - begin))
arrives restarted

wait_until 30 is_online
record_archive silent large
fact_status upload.silent.middle wait_until 30 is_in_the_middle
kill -STOP $store_process
sleep 3
begin=$(moment)
systemctl stop livesessionsd
fact upload.silent.milliseconds $(($(moment) - begin))
fact upload.silent.result "$(property livesessionsd Result)"
kill -CONT $store_process
systemctl start livesessionsd
arrives silent

# SIGKILL while it sends, and once more while it runs the program.
wait_until 30 is_online
touch $state/hold
record_archive killed large
fact_status upload.killed.middle wait_until 30 is_in_the_middle
daemon=$(property livesessionsd MainPID)
kill -9 "$daemon"
wait_until 20 is_online
fact upload.killed.same_daemon "$(same_daemon)"
arrives killed
fact_status upload.killed.held wait_until 20 grep -q "begun $archive" $state/ended
kill -9 "$(property livesessionsd MainPID)"
sleep 1
rm $state/hold
fact_status upload.killed.ended wait_until 40 has_ended "$archive"

# A certificate that is not there, one of another kind, one that the daemon may not read; the right one holds at once.
wait_until 30 is_online
attempts=$(find $store/attempts -type f | wc -l)
mv $settings/recordings.pem /root/
record_archive absent
fact_status upload.absent.told wait_until 20 told 'recordings.pem'
fact upload.absent.said "$(said 'recordings.pem' | tail -n 1)"
fact upload.absent.status "$(upload_problem)"
before=$(failures)
record_archive again
fact_status upload.again.tried wait_until 20 has_failed_again "$before"
fact upload.again.told "$(told 'recordings.pem')"
install -m 0644 /host/upload/elliptic.pem $settings/recordings.pem
before=$(failures)
record_archive elliptic
fact_status upload.elliptic.tried wait_until 20 has_failed_again "$before"
fact upload.elliptic.said "$(said 'recordings.pem' | tail -n 1)"
fact upload.elliptic.told "$(told 'recordings.pem')"
install -m 0600 -o root /root/recordings.pem $settings/recordings.pem
before=$(failures)
record_archive forbidden
fact_status upload.forbidden.tried wait_until 20 has_failed_again "$before"
fact upload.forbidden.said "$(said 'recordings.pem' | tail -n 1)"
fact upload.forbidden.told "$(told 'recordings.pem')"
fact upload.forbidden.attempts $(($(find $store/attempts -type f | wc -l) - attempts))
chmod 0644 $settings/recordings.pem
record_archive mended
arrives mended
livesessions archive list --json > $out/archives-mended.json

# A password in a file of root's which an access-control list lets the daemon read, as newer versions of systemd provide credentials; a wrong one
# at first.
password_file=$settings/upload-password
install -m 0600 /dev/null $password_file
echo "Basic d3Jvbmc6d3Jvbmc=" > $password_file
fact_status upload.refused.acl python3 -B /host/let_read.py $password_file livesessions
fact upload.refused.mode "$(stat -c '%U %a' $password_file)"
sed -i "s|^prefix = .*|&\ncredentials_file = \"$password_file\"|" $settings/device.toml
systemctl restart livesessionsd
wait_until 30 is_online
record_archive refused
fact_status upload.refused.seen wait_until 20 said 'status 401'
fact upload.refused.said "$(said 'status 401')"
before=$(failures)
record_archive refused-again
fact_status upload.refused.tried wait_until 20 has_failed_again "$before"
fact upload.refused.told "$(told 'status 401')"
echo "$authorization" > $password_file
record_archive let-in
arrives let-in
fact_status upload.let-in.ended wait_until 20 has_ended "$archive"
stop_tone

# What is left.
fact upload.secret "$secret"
fact upload.encoded "${authorization#Basic }"
livesessions status > $out/status-upload.txt
livesessions archive list --json > $out/archives.json
fact_status upload.verify livesessions archive verify
fact upload.under_way "$(find $state -name 'uploading*' | wc -l)"
fact upload.temporary "$(find {/tmp,/var/tmp}/systemd-private-*-livesessionsd.service-*/ -type f | paste -s -d ' ')"
fact upload.outstanding "$(tr '\n' ' ' < $state/on-archive-outstanding)"
fact upload.stored_secrets "$(grep -rlF -e "$secret" -e "${authorization#Basic }" $state | paste -s -d ' ')"
daemon=$(property livesessionsd MainPID)
fact upload.process_secrets "$(cat /proc/"$daemon"/{environ,cmdline} | grep -cF -e "$secret" -e "${authorization#Basic }")"
cp $state/ended $state/ended-environment $out/
kill $store_process
cp -r $archives $out/archives
cp -r $store $out/store
