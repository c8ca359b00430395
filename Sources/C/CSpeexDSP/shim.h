/* libspeexdsp: only the resampler. */
#ifndef LIVESESSIONS_CSPEEXDSP_H
#define LIVESESSIONS_CSPEEXDSP_H

#include <speex/speex_resampler.h>

#endif
