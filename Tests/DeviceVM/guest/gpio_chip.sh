# A simulated GPIO chip of eight lines, "door-chip", whose line 3 is the door's.
# Needs /host/gpiosim.ko, which Tests/DeviceVM/gpio-sim makes: lines keep their level when they are released, as on most boards.

config=/sys/kernel/config/gpio-sim/door
modprobe configfs
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
fact_status gpio.module insmod /host/gpiosim.ko
mkdir -p $config/bank0
echo 8 > $config/bank0/num_lines
echo door-chip > $config/bank0/label
echo 1 > $config/live
chip=$(cat $config/bank0/chip_name)
lines=/sys/devices/platform/$(cat $config/dev_name)/$chip
level_file=/sys/devices/platform/$(cat $config/dev_name)/$chip/sim_gpio3/value
udevadm settle

level() { cat "$level_file"; }
is_inactive() { [ "$(level)" = 0 ]; }
is_active() { [ "$(level)" = 1 ]; }
