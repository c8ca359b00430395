/* hiredis: only the parser of replies, with a bound on what arrays may announce. */
#ifndef LIVESESSIONS_CHIREDIS_H
#define LIVESESSIONS_CHIREDIS_H

/* Its pkg-config file carries a flag that SwiftPM refuses; the folder is the compiler's own. */
#include <hiredis/hiredis.h>

/* What a reader's functions need; belongs to one reader and outlives it. */
struct ls_redis_bounds {
  redisReplyObjectFunctions functions;
  void *(*create_array)(const redisReadTask *, int);
  /* How many elements the reply under way may still announce; -1 when it announced too many. */
  long long elements_left;
};

/* An array is allocated before its elements have come: eight octets for each that the server announces. */
static inline void *ls_redis_create_array(const redisReadTask *task, int elements) {
  struct ls_redis_bounds *bounds = (struct ls_redis_bounds *)task->privdata;
  if (elements > bounds->elements_left) {
    bounds->elements_left = -1;
    return NULL;
  }
  bounds->elements_left -= elements;
  return bounds->create_array(task, elements);
}

/* A reader whose arrays are bounded by `bounds->elements_left`; NULL when memory is short. */
static inline redisReader *ls_redis_reader_create(struct ls_redis_bounds *bounds) {
  redisReader *reader = redisReaderCreate();
  if (reader == NULL) return NULL;
  bounds->functions = *reader->fn;
  bounds->create_array = bounds->functions.createArray;
  bounds->functions.createArray = ls_redis_create_array;
  reader->fn = &bounds->functions;
  reader->privdata = bounds;
  return reader;
}

/* Octets that were fed and belong to no complete item yet. */
static inline size_t ls_redis_reader_unread(const redisReader *reader) { return reader->len - reader->pos; }

#endif
