"""The command lines of vpxenc and opusenc that equal the device's encoders."""

#: The settings of VP8EncoderSettings, as far as vpxenc has options for them.
VPXENC = """vpxenc --quiet --codec=vp8 --rt --passes=1 --cpu-used=-8 --threads=1 --lag-in-frames=0 --error-resilient=1
  --end-usage=cbr --target-bitrate=800 --kf-max-dist=120 --min-q=2 --max-q=56 --undershoot-pct=100
  --overshoot-pct=15 --buf-sz=1000 --buf-initial-sz=500 --buf-optimal-sz=600 --drop-frame=30 --static-thresh=1
  --noise-sensitivity=0 --token-parts=0 --auto-alt-ref=0 --max-intra-rate=900""".split()
#: The settings of OpusEncoderSettings. opusenc has no option for forward error correction, which without loss adds
#: nothing, nor for the application: it asks for `audio` with a voice signal where we ask for `voice`.
OPUSENC = "opusenc --quiet --bitrate 32 --framesize 20 --comp 5 --speech --vbr".split()
