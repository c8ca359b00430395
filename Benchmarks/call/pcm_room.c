// A sound card for machines that have none, as a plugin of alsa-lib: it keeps the pace of CLOCK_MONOTONIC, wakes its user
// each period as a card's interrupt does, and costs a copy. What is captured is a file, again and again, and in it what the
// same process plays, some milliseconds later and quieter: the echo of a room with one wall.
//
//   pcm_type.room { lib "/path/libasound_module_pcm_room.so" }
//   pcm.bench { type room  file "/path/speech.raw"  delay 1200  gain 300 }
//
// The file holds samples of 16 bits at 48 kHz, mono; the delay is in samples, the gain in thousandths.
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { rate = 48000, ring_frames = 1 << 16, periods = 2, least_period_bytes = 240, most_buffer_bytes = 1 << 18 };

// What was played, by the number of the sample since the clock's zero. Written by who plays, read and cleared by who captures.
static int16_t played[ring_frames];

typedef struct {
  snd_pcm_ioplug_t io;
  int64_t start;  // The number of the first sample.
  const int16_t *speech;
  size_t frames;
  long delay, gain;
} Room;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * rate + (int64_t)time.tv_nsec * rate / 1000000000;
}

static int arm(Room *room, long nanoseconds) {
  struct itimerspec timer = {{0, nanoseconds}, {0, nanoseconds}};
  return timerfd_settime(room->io.poll_fd, 0, &timer, NULL) < 0 ? -errno : 0;
}

static int room_start(snd_pcm_ioplug_t *io) {
  Room *room = io->private_data;
  room->start = now();
  return arm(room, (long)io->period_size * 1000000000 / rate);
}

static int room_stop(snd_pcm_ioplug_t *io) { return arm(io->private_data, 0); }

// Frames that went by since the start; an overrun or underrun once the buffer has not that many.
static snd_pcm_sframes_t room_pointer(snd_pcm_ioplug_t *io) {
  Room *room = io->private_data;
  if (io->state != SND_PCM_STATE_RUNNING && io->state != SND_PCM_STATE_DRAINING) return 0;
  snd_pcm_uframes_t gone = (snd_pcm_uframes_t)(now() - room->start);
  snd_pcm_uframes_t limit = io->appl_ptr + (io->stream == SND_PCM_STREAM_CAPTURE ? io->buffer_size : 0);
  return gone > limit ? -EPIPE : (snd_pcm_sframes_t)gone;
}

static int16_t *sample(const snd_pcm_channel_area_t *area, snd_pcm_uframes_t frame) {
  return (int16_t *)((char *)area->addr + (area->first + area->step * frame) / 8);
}

static int16_t captured(const Room *room, int64_t number) {
  int16_t *echo = &played[(uint64_t)(number - room->delay) % ring_frames];
  long value = room->speech[(size_t)(number - room->start) % room->frames] + *echo * room->gain / 1000;
  *echo = 0;
  return (int16_t)(value > INT16_MAX ? INT16_MAX : value < INT16_MIN ? INT16_MIN : value);
}

static snd_pcm_sframes_t room_transfer(
    snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset, snd_pcm_uframes_t size) {
  Room *room = io->private_data;
  int64_t first = room->start + (int64_t)io->appl_ptr;
  // Who plays before the start is heard from the start on, which follows at once.
  if (io->state != SND_PCM_STATE_RUNNING) first = now() + (int64_t)io->appl_ptr;
  for (snd_pcm_uframes_t frame = 0; frame < size; frame++) {
    if (io->stream == SND_PCM_STREAM_PLAYBACK) {
      played[(uint64_t)(first + (int64_t)frame) % ring_frames] = *sample(areas, offset + frame);
      continue;
    }
    int16_t value = captured(room, first + (int64_t)frame);
    for (unsigned channel = 0; channel < io->channels; channel++) *sample(areas + channel, offset + frame) = value;
  }
  return (snd_pcm_sframes_t)size;
}

static int room_revents(snd_pcm_ioplug_t *io, struct pollfd *pfd, unsigned count, unsigned short *revents) {
  uint64_t ticks;
  if (count != 1) return -EINVAL;
  *revents = 0;
  if (!(pfd->revents & POLLIN)) return 0;
  if (read(io->poll_fd, &ticks, sizeof ticks) < 0 && errno != EAGAIN) return -errno;
  *revents = io->stream == SND_PCM_STREAM_CAPTURE ? POLLIN : POLLOUT;
  return 0;
}

static int room_close(snd_pcm_ioplug_t *io) {
  Room *room = io->private_data;
  munmap((void *)room->speech, room->frames * 2);
  close(io->poll_fd);
  free(room);
  return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .start = room_start, .stop = room_stop, .pointer = room_pointer, .transfer = room_transfer, .close = room_close,
    .poll_revents = room_revents};

static int map_speech(Room *room, const char *path) {
  struct stat status;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -errno;
  if (fstat(file, &status) < 0 || status.st_size < 2) {
    close(file);
    return -EINVAL;
  }
  room->frames = (size_t)status.st_size / 2;
  void *speech = mmap(NULL, room->frames * 2, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (speech == MAP_FAILED) return -errno;
  room->speech = speech;
  return 0;
}

static int constrain(snd_pcm_ioplug_t *io) {
  static const unsigned access[] = {SND_PCM_ACCESS_RW_INTERLEAVED}, format[] = {SND_PCM_FORMAT_S16_LE};
  int result = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_ACCESS, 1, access);
  if (result >= 0) result = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_FORMAT, 1, format);
  if (result >= 0) result = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_CHANNELS, 1, 2);
  if (result >= 0) result = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_RATE, rate, rate);
  if (result >= 0) result = snd_pcm_ioplug_set_param_minmax(
      io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, least_period_bytes, most_buffer_bytes / periods);
  if (result >= 0) result = snd_pcm_ioplug_set_param_minmax(
      io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, least_period_bytes * periods, most_buffer_bytes);
  return result;
}

SND_PCM_PLUGIN_DEFINE_FUNC(room) {
  snd_config_iterator_t entry, next;
  const char *path = NULL, *key;
  long delay = 0, gain = 0;
  (void)root;
  snd_config_for_each(entry, next, conf) {
    snd_config_t *value = snd_config_iterator_entry(entry);
    if (snd_config_get_id(value, &key) < 0) continue;
    if (strcmp(key, "file") == 0) snd_config_get_string(value, &path);
    if (strcmp(key, "delay") == 0) snd_config_get_integer(value, &delay);
    if (strcmp(key, "gain") == 0) snd_config_get_integer(value, &gain);
  }
  Room *room = calloc(1, sizeof *room);
  if (!path || !room) return free(room), -EINVAL;
  room->delay = delay;
  room->gain = gain;
  int result = map_speech(room, path);
  if (result < 0) return free(room), result;
  room->io.version = SND_PCM_IOPLUG_VERSION;
  room->io.name = "a room";
  room->io.flags = SND_PCM_IOPLUG_FLAG_MONOTONIC | SND_PCM_IOPLUG_FLAG_BOUNDARY_WA;
  room->io.callback = &callbacks;
  room->io.private_data = room;
  room->io.poll_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  room->io.poll_events = POLLIN;
  result = snd_pcm_ioplug_create(&room->io, name, stream, mode);
  if (result < 0) return room_close(&room->io), result;
  result = constrain(&room->io);
  if (result < 0) return snd_pcm_ioplug_delete(&room->io), result;
  *pcmp = room->io.pcm;
  return 0;
}

SND_PCM_PLUGIN_SYMBOL(room);
