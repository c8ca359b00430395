/* libspeexdsp's echo canceller with its residual suppressor. usage: speexdsp FAR MIC TOLD OUT, raw 16-bit samples at 48 kHz; TOLD: milliseconds a block. */
#include <speex/speex_echo.h>
#include <speex/speex_preprocess.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { block = 480, rate = 48000, tail = 14400, spare = 50 };

int main(int count, char **arguments) {
  if (count != 5) return 2;
  FILE *far = fopen(arguments[1], "rb"), *near = fopen(arguments[2], "rb"), *told = fopen(arguments[3], "rb");
  FILE *out = fopen(arguments[4], "wb");
  if (!far || !near || !told || !out) return 1;
  short delay = 0;
  if (fread(&delay, 2, 1, told) != 1) return 1;
  int lag = delay > spare ? (delay - spare) * rate / 1000 : 0;
  short *line = calloc(lag + block, 2), captured[block], cleaned[block];
  SpeexEchoState *state = speex_echo_state_init(block, tail);
  SpeexPreprocessState *after = speex_preprocess_state_init(block, rate);
  int hertz = rate, off = 0;
  speex_echo_ctl(state, SPEEX_ECHO_SET_SAMPLING_RATE, &hertz);
  speex_preprocess_ctl(after, SPEEX_PREPROCESS_SET_ECHO_STATE, state);
  speex_preprocess_ctl(after, SPEEX_PREPROCESS_SET_DENOISE, &off);
  long blocks = 0;
  clock_t used = 0;
  while (fread(line + lag, 2, block, far) == block && fread(captured, 2, block, near) == block) {
    clock_t start = clock();
    speex_echo_cancellation(state, captured, line, cleaned);
    speex_preprocess_run(after, cleaned);
    used += clock() - start;
    fwrite(cleaned, 2, block, out);
    for (int index = 0; index < lag; index++) line[index] = line[index + block];
    blocks++;
  }
  printf("cpu=%f\n", 100.0 * used / CLOCKS_PER_SEC / (blocks / 100.0));
  return 0;
}
