/* Linux's syncfs(2), which <unistd.h> declares for GNU programs alone. */
#ifndef LIVESESSIONS_CFILESYSTEM_H
#define LIVESESSIONS_CFILESYSTEM_H

extern int syncfs(int descriptor);

/* Puts all that was written to the file system of an open file on its disk; -1 with errno. */
static inline int fs_sync(int descriptor) { return syncfs(descriptor); }

#endif
