// A room between a loudspeaker and a microphone: takes what is played from one ALSA device, and gives another what a
// microphone would hear of it, together with somebody near who speaks.
//
// usage: room PLAYED HEARD TAPS NEAR NEAR-AFTER OUTPUT
//   PLAYED, HEARD  ALSA devices, 48 kHz, 16 bits, mono
//   TAPS           the room's impulse response, a line each: delay in samples, gain
//   NEAR           raw samples of whoever speaks near, from NEAR-AFTER seconds after the first sound on
//   OUTPUT         what was heard, as raw frames of two samples: of the loudspeaker, of whoever is near
// Ends by SIGTERM, and prints how often sound was lost.

#include <alsa/asoundlib.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { RATE = 48000, BLOCK = 480, HISTORY = 32768, LATENCY = 100000 };

static volatile sig_atomic_t ended;
static float history[HISTORY];
static uint64_t position;
static struct { unsigned delay; float gain; } taps[4096];
static unsigned tap_count;
static unsigned losses;

static void end(int signal) { ended = signal; }

static void fail(const char *what, int error) {
  fprintf(stderr, "room: %s: %s\n", what, snd_strerror(error));
  exit(1);
}

static snd_pcm_t *open_device(const char *name, snd_pcm_stream_t direction) {
  snd_pcm_t *device;
  int error = snd_pcm_open(&device, name, direction, 0);
  if (error < 0) fail(name, error);
  error = snd_pcm_set_params(device, SND_PCM_FORMAT_S16, SND_PCM_ACCESS_RW_INTERLEAVED, 1, RATE, 0, LATENCY);
  if (error < 0) fail(name, error);
  return device;
}

static void read_taps(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) { perror(path); exit(1); }
  while (tap_count < 4096 && fscanf(file, "%u %f", &taps[tap_count].delay, &taps[tap_count].gain) == 2) tap_count++;
  fclose(file);
}

static void transfer(snd_pcm_sframes_t (*move)(snd_pcm_t *, void *), snd_pcm_t *device, int16_t *block) {
  snd_pcm_sframes_t count = move(device, block);
  if (count >= 0) return;
  losses++;
  int error = snd_pcm_recover(device, (int)count, 1);
  if (error < 0) fail(snd_pcm_name(device), error);
}

static snd_pcm_sframes_t take(snd_pcm_t *device, void *block) {
  // snd_pcm_set_params lets a device begin only by a read as long as its buffer.
  if (snd_pcm_state(device) == SND_PCM_STATE_PREPARED) snd_pcm_start(device);
  return snd_pcm_readi(device, block, BLOCK);
}

static snd_pcm_sframes_t give(snd_pcm_t *device, void *block) { return snd_pcm_writei(device, block, BLOCK); }

// A small loudspeaker: linear while it is quiet, and bent when it is loud.
static float loudspeaker(int16_t sample) { return tanhf((float)sample / 32768 * 1.2f) / 1.2f; }

static float room(void) {
  float sum = 0;
  for (unsigned tap = 0; tap < tap_count; tap++)
    sum += taps[tap].gain * history[(position - taps[tap].delay) % HISTORY];
  return sum;
}

static int16_t limited(float sample) {
  return (int16_t)lrintf(fmaxf(-1, fminf(1, sample)) * 32767);
}

int main(int argc, char **argv) {
  if (argc != 7) { fprintf(stderr, "usage: room PLAYED HEARD TAPS NEAR NEAR-AFTER OUTPUT\n"); return 2; }
  signal(SIGTERM, end);
  read_taps(argv[3]);
  FILE *near = fopen(argv[4], "rb"), *output = fopen(argv[6], "wb");
  if (!near || !output) { perror("room"); return 1; }
  snd_pcm_t *played = open_device(argv[1], SND_PCM_STREAM_CAPTURE), *heard = open_device(argv[2], SND_PCM_STREAM_PLAYBACK);
  int64_t until_near = INT64_MAX;
  int16_t block[BLOCK], mixed[BLOCK], both[2 * BLOCK];
  for (int count = 0; count < 3; count++) transfer(give, heard, mixed);
  while (!ended) {
    transfer(take, played, block);
    for (int index = 0; index < BLOCK; index++, position++) {
      if (until_near == INT64_MAX && block[index] != 0) until_near = (int64_t)(atof(argv[5]) * RATE);
      history[position % HISTORY] = loudspeaker(block[index]);
      int16_t voice = 0;
      if (until_near != INT64_MAX && until_near-- <= 0 && fread(&voice, sizeof voice, 1, near) != 1) voice = 0;
      float echo = room();
      both[2 * index] = limited(echo);
      both[2 * index + 1] = voice;
      mixed[index] = limited(echo + (float)voice / 32768);
    }
    transfer(give, heard, mixed);
    fwrite(both, sizeof both[0], 2 * BLOCK, output);
  }
  printf("%u\n", losses);
  return fclose(output);
}
