/* Counts what the calling thread allocates, for tests that allow a path no allocation. Linking this replaces malloc. */
#ifndef LIVESESSIONS_CALLOCATIONCOUNTER_H
#define LIVESESSIONS_CALLOCATIONCOUNTER_H

/* Allocations of the calling thread so far; -1 where they cannot be counted (under a sanitizer). */
long callocation_count(void);

#endif
