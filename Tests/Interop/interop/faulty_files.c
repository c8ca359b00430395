/* Files below FAULTY_FOLDER that cannot be opened (FAULTY_ERROR: an errno), or whose disk is slow
   (FAULTY_DELAY: milliseconds before each file is opened, renamed or flushed). Loaded into a program with LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static int is_faulty(const char *path) {
  const char *folder = getenv("FAULTY_FOLDER");
  return folder && path && strncmp(path, folder, strlen(folder)) == 0;
}

static void wait_for_disk(void) {
  const char *delay = getenv("FAULTY_DELAY");
  long milliseconds = delay ? atol(delay) : 0;
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  if (milliseconds) nanosleep(&time, NULL);
}

/* Whether opening has to fail, as where the owner is another; what is not there yet can be made. */
static int fails(const char *path, int flags) {
  const char *error = getenv("FAULTY_ERROR");
  if (!is_faulty(path)) return 0;
  wait_for_disk();
  if (!error || ((flags & O_CREAT) && access(path, F_OK) != 0)) return 0;
  errno = atoi(error);
  return 1;
}

#define MODE(flags) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | O_TMPFILE)) { \
    va_list list; \
    va_start(list, flags); \
    mode = va_arg(list, mode_t); \
    va_end(list); \
  }
#define NEXT(type, name) ((type)dlsym(RTLD_NEXT, name))

typedef int (*open_function)(const char *, int, ...);
typedef int (*openat_function)(int, const char *, int, ...);

int open(const char *path, int flags, ...) {
  MODE(flags)
  return fails(path, flags) ? -1 : NEXT(open_function, "open")(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  MODE(flags)
  return fails(path, flags) ? -1 : NEXT(open_function, "open64")(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
  MODE(flags)
  return fails(path, flags) ? -1 : NEXT(openat_function, "openat")(folder, path, flags, mode);
}

int rename(const char *from, const char *to) {
  if (is_faulty(from)) wait_for_disk();
  return NEXT(int (*)(const char *, const char *), "rename")(from, to);
}

static int is_faulty_descriptor(int descriptor) {
  char name[64], path[4096];
  snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(name, path, sizeof path - 1);
  path[length > 0 ? length : 0] = 0;
  return is_faulty(path);
}

int fsync(int descriptor) {
  if (is_faulty_descriptor(descriptor)) wait_for_disk();
  return NEXT(int (*)(int), "fsync")(descriptor);
}

int fdatasync(int descriptor) {
  if (is_faulty_descriptor(descriptor)) wait_for_disk();
  return NEXT(int (*)(int), "fdatasync")(descriptor);
}
