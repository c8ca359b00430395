// Debian's webrtc-audio-processing 0.3 with its extended filter, delay-agnostic. usage: webrtc FAR MIC TOLD OUT [low], as speexdsp.c.
#include <webrtc/modules/audio_processing/include/audio_processing.h>
#include <webrtc/modules/interface/module_common_types.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

using namespace webrtc;

int main(int count, char **arguments) {
  if (count < 5) return 2;
  FILE *far = fopen(arguments[1], "rb"), *near = fopen(arguments[2], "rb"), *told = fopen(arguments[3], "rb");
  FILE *out = fopen(arguments[4], "wb");
  if (!far || !near || !told || !out) return 1;
  Config config;
  config.Set<ExtendedFilter>(new ExtendedFilter(true));
  config.Set<DelayAgnostic>(new DelayAgnostic(true));
  AudioProcessing *processing = AudioProcessing::Create(config);
  processing->echo_cancellation()->Enable(true);
  processing->echo_cancellation()->set_suppression_level(
      count > 5 ? EchoCancellation::kLowSuppression : EchoCancellation::kModerateSuppression);
  const StreamConfig mono(48000, 1, false);
  int16_t raw[480], delay;
  float played[480], captured[480];
  float *playedChannels[] = {played}, *capturedChannels[] = {captured};
  clock_t used = 0;
  long blocks = 0;
  while (fread(raw, 2, 480, far) == 480) {
    for (int i = 0; i < 480; i++) played[i] = raw[i] / 32768.0f;
    if (fread(raw, 2, 480, near) != 480 || fread(&delay, 2, 1, told) != 1) break;
    for (int i = 0; i < 480; i++) captured[i] = raw[i] / 32768.0f;
    clock_t start = clock();
    processing->ProcessReverseStream(playedChannels, mono, mono, playedChannels);
    processing->set_stream_delay_ms(delay);
    processing->ProcessStream(capturedChannels, mono, mono, capturedChannels);
    used += clock() - start;
    for (int i = 0; i < 480; i++) {
      float value = captured[i] * 32768.0f;
      raw[i] = value > 32767 ? 32767 : value < -32768 ? -32768 : (int16_t)value;
    }
    fwrite(raw, 2, 480, out);
    blocks++;
  }
  printf("cpu=%f\n", 100.0 * used / CLOCKS_PER_SEC / (blocks / 100.0));
}
