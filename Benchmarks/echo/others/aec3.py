"""WebRTC's AEC3 through the PyPI package aec-audio-processing. usage: aec3.py FAR MIC TOLD OUT, as speexdsp.c."""
import sys
import time

import numpy
from aec_audio_processing import AudioProcessor

far, near, told = (numpy.fromfile(path, numpy.int16) for path in sys.argv[1:4])
processor = AudioProcessor(enable_aec=True, enable_ns=False, enable_agc=False, enable_vad=False)
processor.set_stream_format(48_000, 1, 48_000, 1)
processor.set_reverse_stream_format(48_000, 1)
output, used = [], 0.0
for block in range(len(near) // 480):
    place = slice(block * 480, block * 480 + 480)
    played, captured = far[place].tobytes(), near[place].tobytes()
    start = time.process_time()
    processor.process_reverse_stream(played)
    processor.set_stream_delay(int(told[block]))
    output.append(processor.process_stream(captured))
    used += time.process_time() - start
with open(sys.argv[4], "wb") as file:
    file.write(b"".join(output))
print(f"cpu={100 * used / (len(near) / 48_000)}")
