# A USB camera: the kernel's virtual USB controller and uvcvideo, served by camera/.
usb_camera=/dev/v4l/by-id/usb-LiveSessions_Test_camera_0001-video-index0

start_usb_camera() {
  modprobe -a vhci-hcd uvcvideo
  mkfifo /run/usb-camera
  exec 7<> /run/usb-camera
  python3 -B /host/camera /host/pictures < /run/usb-camera > $out/usb-camera.txt 2> $out/usb-camera-errors.txt &
  wait_until 20 grep -q ready $out/usb-camera.txt
}

# order WORD…: to the camera.
order() { echo "$*" >&7; }

plug_usb_camera() {
  order plug
  wait_until 10 test -e $usb_camera
}
