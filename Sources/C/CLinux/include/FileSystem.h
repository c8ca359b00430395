/* Linux's syncfs(2), which <unistd.h> declares for GNU programs alone. */
#ifndef LIVESESSIONS_CFILESYSTEM_H
#define LIVESESSIONS_CFILESYSTEM_H

#include <linux/magic.h>
#include <sys/vfs.h>

extern int syncfs(int descriptor);

/* Puts all that was written to the file system of an open file on its disk; -1 with errno. */
static inline int fs_sync(int descriptor) { return syncfs(descriptor); }

/* Whether the file system that holds an open file is ext2, ext3 or ext4. */
static inline int fs_is_ext(int descriptor) {
  struct statfs status;
  return fstatfs(descriptor, &status) == 0 && status.f_type == EXT4_SUPER_MAGIC;
}

#endif
