// Loaded before the C library: a disk that does one flush at a time, each of which takes SLOW_DISK_MILLISECONDS, for all
// processes that share the file SLOW_DISK_LOCK. As in the kernel's block layer, the next flush serves all that were asked for while
// one was under way, unless SLOW_DISK_SERIAL is set. What has been flushed for good of the files below SLOW_DISK_ROOT is written
// into SLOW_DISK_LOG, a line each with the number of bytes and the path: what a power cut leaves of them.

#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LONGEST_PATH = 1024, MOST_FILES = 4096 };

struct flushed {
  long long bytes;
  char path[LONGEST_PATH];
};

static const char *root, *log_path, *lock_path;
static int is_serial;
static useconds_t pause_length;

__attribute__((constructor)) static void read_settings(void) {
  const char *milliseconds = getenv("SLOW_DISK_MILLISECONDS");
  root = getenv("SLOW_DISK_ROOT");
  log_path = getenv("SLOW_DISK_LOG");
  lock_path = getenv("SLOW_DISK_LOCK");
  is_serial = getenv("SLOW_DISK_SERIAL") != NULL;
  pause_length = milliseconds ? (useconds_t)atoi(milliseconds) * 1000 : 0;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_done = PTHREAD_COND_INITIALIZER;
static long started, completed;
static int is_running;

// One flush of the disk, when no other process has one.
static void flush_disk(void) {
  int lock = lock_path ? open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (lock >= 0) flock(lock, LOCK_EX);
  usleep(pause_length);
  if (lock >= 0) close(lock);
}

// Returns when a flush is over that began after the call.
static void await_flush(void) {
  if (is_serial) return flush_disk();
  pthread_mutex_lock(&mutex);
  long wanted = started + 1;
  while (completed < wanted) {
    if (is_running) {
      pthread_cond_wait(&is_done, &mutex);
      continue;
    }
    is_running = 1;
    long own = ++started;
    pthread_mutex_unlock(&mutex);
    flush_disk();
    pthread_mutex_lock(&mutex);
    is_running = 0;
    completed = own;
    pthread_cond_broadcast(&is_done);
  }
  pthread_mutex_unlock(&mutex);
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
