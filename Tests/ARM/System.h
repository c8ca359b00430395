/* What the harness needs of the C library. */
#ifndef ARM_HARNESS_SYSTEM_H
#define ARM_HARNESS_SYSTEM_H

/* Reads a file whole; -1 if it cannot be read or is longer than `capacity`. */
long arm_read_file(const char *path, unsigned char *bytes, long capacity);

/* Ends the program. */
void arm_exit(int status);

#endif
