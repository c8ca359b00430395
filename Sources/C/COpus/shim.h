/* libopus: the variadic control calls as inline functions. */
#ifndef LIVESESSIONS_COPUS_H
#define LIVESESSIONS_COPUS_H

#include <opus/opus.h>

static inline int copus_encoder_set(OpusEncoder *encoder, int request, opus_int32 value) {
  return opus_encoder_ctl(encoder, request, value);
}

static inline int copus_encoder_get(OpusEncoder *encoder, int request, opus_int32 *value) {
  return opus_encoder_ctl(encoder, request, value);
}

#endif
