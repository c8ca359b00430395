#ifndef LIVESESSIONS_CZLIB_H
#define LIVESESSIONS_CZLIB_H

#include <zlib.h>

/* A macro that Swift cannot import: begins a gzip stream (RFC 1952) at the level that compresses most. */
static inline int livesessions_gzip_begin(z_stream *stream) {
  return deflateInit2(stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
}

#endif
