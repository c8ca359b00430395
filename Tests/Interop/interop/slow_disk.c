// Loaded before the C library: a disk each flush of which takes SLOW_DISK_MILLISECONDS, for all processes that share
// the file SLOW_DISK_LOCK. As in the kernel, one flush is under way at a time, what is asked for while a journal's
// commit gathers goes with it, and the next serves all that were asked for meanwhile; with SLOW_DISK_SERIAL each has
// one of its own. What has been flushed for good of the files below SLOW_DISK_ROOT is written into SLOW_DISK_LOG, a
// line each with the number of bytes and the path: what a power cut leaves of them.

#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_PATH = 1024, MOST_FILES = 4096 };

struct flushed {
  long long bytes;
  char path[LONGEST_PATH];
};

static const char *root, *log_path;
static int is_serial;
static int64_t pause_length;

// When the last flush ends that was asked for, by CLOCK_MONOTONIC in nanoseconds: all that processes have to know of
// each other, so that it is of no matter when one of them is killed.
static _Atomic int64_t *last_end;

// A commit takes up what comes within so many nanoseconds of its beginning.
static const int64_t gathering = 5000000;

__attribute__((constructor)) static void read_settings(void) {
  const char *milliseconds = getenv("SLOW_DISK_MILLISECONDS"), *shared = getenv("SLOW_DISK_LOCK");
  root = getenv("SLOW_DISK_ROOT");
  log_path = getenv("SLOW_DISK_LOG");
  is_serial = getenv("SLOW_DISK_SERIAL") != NULL;
  pause_length = milliseconds ? atoll(milliseconds) * 1000000 : 0;
  int descriptor = shared ? open(shared, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (descriptor < 0 || ftruncate(descriptor, sizeof *last_end) != 0) return;
  void *place = mmap(NULL, sizeof *last_end, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (place != MAP_FAILED) last_end = place;
}

// When the flush ends that serves what is asked for at this time.
static int64_t end_of_flush(int64_t now, int64_t last) {
  if (last <= now) return now + pause_length;
  int has_begun = last - pause_length + gathering <= now;
  return has_begun || is_serial ? last + pause_length : last;
}

static void await_flush(void) {
  if (!last_end || !pause_length) return;
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  int64_t now = time.tv_sec * 1000000000LL + time.tv_nsec, last = *last_end, end;
  do end = end_of_flush(now, last);
  while (!__atomic_compare_exchange_n((int64_t *)last_end, &last, end, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  struct timespec until = {.tv_sec = end / 1000000000, .tv_nsec = end % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) continue;
}

static void note(const struct flushed *file) {
  int log = log_path ? open(log_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (log < 0) return;
  char line[LONGEST_PATH + 32];
  int length = snprintf(line, sizeof line, "%lld %s\n", file->bytes, file->path);
  if (write(log, line, (size_t)length) != length) abort();
  close(log);
}

static int look_at(int descriptor, struct flushed *file) {
  char link[64];
  struct stat status;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, file->path, LONGEST_PATH - 1);
  if (!root || length < 0 || fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  file->path[length] = 0;
  file->bytes = (long long)status.st_size;
  return strncmp(file->path, root, strlen(root)) == 0;
}

static int flush_file(long call, int descriptor) {
  struct flushed file;
  int is_noted = look_at(descriptor, &file);
  int result = (int)syscall(call, descriptor);
  await_flush();
  if (result == 0 && is_noted) note(&file);
  return result;
}

int fsync(int descriptor) { return flush_file(SYS_fsync, descriptor); }
int fdatasync(int descriptor) { return flush_file(SYS_fdatasync, descriptor); }

// A process flushes its file system from one thread at a time.
static struct flushed *files;
static int file_count;

static int collect(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)place;
  if (kind != FTW_F || file_count == MOST_FILES || strlen(path) >= LONGEST_PATH) return 0;
  files[file_count].bytes = (long long)status->st_size;
  strcpy(files[file_count++].path, path);
  return 0;
}

int syncfs(int descriptor) {
  if (!files) files = malloc(MOST_FILES * sizeof *files);
  file_count = 0;
  if (root) nftw(root, collect, 16, FTW_PHYS);
  int result = (int)syscall(SYS_syncfs, descriptor);
  await_flush();
  for (int index = 0; result == 0 && index < file_count; index++) note(&files[index]);
  return result;
}
