/* libjpeg-turbo's encoder for one I420 image. C, since libjpeg reports errors by a call that may not return, and no
   longjmp may cross a frame of Swift. */
#ifndef LIVESESSIONS_CJPEG_ENCODER_H
#define LIVESESSIONS_CJPEG_ENCODER_H

#include <stddef.h>
#include <stdint.h>

/* In the range of video (BT.601). */
struct cjpeg_source {
  uint32_t width;
  uint32_t height;
  const uint8_t *y;
  const uint8_t *u;
  const uint8_t *v;
  size_t y_stride;
  size_t chroma_stride;
};

/* Encodes an image as a baseline JPEG (JFIF) with chroma of half the size, quality 1 to 100. Returns its bytes, to be
   freed by cjpeg_encode_free, or NULL when memory is short or libjpeg refuses the size. */
uint8_t *cjpeg_encode(const struct cjpeg_source *source, int quality, size_t *size);
void cjpeg_encode_free(uint8_t *bytes);

#endif
