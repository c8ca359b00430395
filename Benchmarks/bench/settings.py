"""The options of other programs that equal the settings of the device's encoders."""

#: The settings of VP8EncoderSettings, as far as vpxenc has options for them.
VPXENC = """vpxenc --quiet --codec=vp8 --rt --passes=1 --cpu-used=-8 --threads=1 --lag-in-frames=0 --error-resilient=1
  --end-usage=cbr --target-bitrate=800 --kf-max-dist=120 --min-q=2 --max-q=56 --undershoot-pct=100
  --overshoot-pct=15 --buf-sz=1000 --buf-initial-sz=500 --buf-optimal-sz=600 --drop-frame=30 --static-thresh=1
  --noise-sensitivity=0 --token-parts=0 --auto-alt-ref=0 --max-intra-rate=900""".split()
#: The settings of OpusEncoderSettings. opusenc has no option for forward error correction, which without loss adds
#: nothing, nor for the application: it asks for `audio` with a voice signal where we ask for `voice`.
OPUSENC = "opusenc --quiet --bitrate 32 --framesize 20 --comp 5 --speech --vbr".split()
#: The same of ffmpeg; its decoder model's optimum is fixed at five sixths of the buffer, ours is 600 ms of 1,000.
FFMPEG_VIDEO = """-c:v libvpx -deadline realtime -cpu-used -8 -threads 1 -lag-in-frames 0 -error-resilient default -b:v 800k
  -minrate 800k -maxrate 800k -bufsize 800k -rc_init_occupancy 400k -g 120 -qmin 2 -qmax 56 -undershoot-pct 100
  -overshoot-pct 15 -drop-threshold 30 -static-thresh 1 -noise-sensitivity 0 -auto-alt-ref 0
  -max-intra-rate 900""".split()
FFMPEG_AUDIO = "-c:a libopus -b:a 32k -frame_duration 20 -compression_level 5 -application voip -vbr on".split()
#: The same of GStreamer. Each reads a raw file in pieces of one picture, paced by the clock.
GSTREAMER_VIDEO = """blocksize=460800 ! rawvideoparse format=i420 width=640 height=480 framerate=30/1 ! clocksync !
  vp8enc deadline=1 cpu-used=-8 threads=1 lag-in-frames=0 error-resilient=default end-usage=cbr target-bitrate=800000
  keyframe-max-dist=120 min-quantizer=2 max-quantizer=56 undershoot=100 overshoot=15 buffer-size=1000
  buffer-initial-size=500 buffer-optimal-size=600 dropframe-threshold=30 static-threshold=1 noise-sensitivity=0
  token-partitions=0 auto-alt-ref=false max-intra-bitrate=900""".split()
GSTREAMER_AUDIO = """wavparse ! clocksync ! opusenc bitrate=32000 frame-size=20 complexity=5 audio-type=voice
  bitrate-type=vbr""".split()

#: How the settings above say the bit rate and the number of threads.
_RATES = {"--target-bitrate": "={}", "-b:v": "{}k", "-minrate": "{}k", "-maxrate": "{}k", "-bufsize": "{}k", "target-bitrate": "={}000"}


def changed(options, kilobits, threads):
    """The options of a video encoder above with another bit rate, in kbit/s, and number of threads."""
    found = []
    for option in options:
        name, _, value = option.partition("=")
        before = found[-1] if found else ""
        if name in _RATES and value:
            option = name + _RATES[name].format(kilobits)
        elif before in _RATES:
            option = _RATES[before].format(kilobits)
        elif before == "-rc_init_occupancy":
            option = f"{kilobits // 2}k"
        elif name.strip("-") == "threads" and value:
            option = f"{name}={threads}"
        elif before == "-threads":
            option = str(threads)
        found.append(option)
    return found
