# Heat and a battery, as the shipped service reads them below /sys/class: a sensor of the kernel's driver lm75 on its simulated bus, and the battery
# of a HID device. Each goes beyond its threshold and comes back, and is taken away for a while.

modprobe -a i2c-dev uhid hid-generic lm75
modprobe i2c-stub chip_addr=0x48
bus=$(grep -l 'SMBus stub' /sys/class/i2c-adapter/i2c-*/name | sed 's|.*/i2c-\([0-9]*\)/name|\1|')
adapter=/sys/class/i2c-adapter/i2c-$bus

# hardware ORDER…: returns when it is done.
hardware() {
  local lines
  lines=$(wc -l < $out/hardware.txt)
  echo "$*" >&8
  wait_until 10 has_more_lines "$lines"
}
has_more_lines() { [ "$(wc -l < $out/hardware.txt)" -gt "$1" ]; }
count_said() { journalctl --boot --no-pager --output=cat --unit=livesessionsd | grep -c -- "$1"; }
has_said() { [ "$(count_said "$2")" -ge "$1" ]; }

: > $out/hardware.txt
mkfifo /run/hardware
exec 8<> /run/hardware
python3 -B /host/hardware.py "$bus" < /run/hardware > $out/hardware.txt 2>&1 &
hardware temperature 40
echo lm75 0x48 > "$adapter/new_device"
hardware plug 80
fact_status hardware.sensor wait_until 5 grep -q 40000 /sys/class/hwmon/hwmon*/temp1_input
fact_status hardware.battery wait_until 5 grep -qx 80 /sys/class/power_supply/hid-cell-battery/capacity
cat >> /etc/livesessions/device.toml << END

[[event]]
name = "box"
kind = "temperature"
sensor = "lm75"
threshold = 70
min_duration = "3s"

[[event]]
name = "cell"
kind = "power"
on = "battery-low"
supply = "hid-cell-battery"
END
fact_status hardware.config livesessions config check
systemctl restart livesessionsd
wait_until 30 is_online
daemon=$(property livesessionsd MainPID)
livesessions doctor --json > $out/doctor-hardware.json
sleep 5

hardware temperature 82
hardware battery 9
sleep 10
hardware temperature 60
hardware battery 60
sleep 12

echo 0x48 > "$adapter/delete_device"
hardware unplug
fact_status hardware.lost wait_until 20 has_said 2 'notices nothing'
livesessions status > $out/status-hardware.txt
echo lm75 0x48 > "$adapter/new_device"
hardware plug 60
fact_status hardware.back wait_until 20 has_said 2 'can be read again'
fact hardware.lost_times "$(count_said 'notices nothing')"
fact hardware.same_daemon "$(same_daemon)"
livesessions events --json > $out/hardware.jsonl
exec 8>&-
