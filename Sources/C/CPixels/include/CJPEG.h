/* libjpeg-turbo's decoder, kept for the frames of one camera and made to write I420. C, since libjpeg reports errors
   by a call that may not return, and no longjmp may cross a frame of Swift. */
#ifndef LIVESESSIONS_CJPEG_H
#define LIVESESSIONS_CJPEG_H

#include "CJPEGEncoder.h"

#include <stddef.h>
#include <stdint.h>

enum cjpeg_status {
  CJPEG_DECODED = 0,
  /* No beginning, or data are missing or wrong in more than one row of eight. */
  CJPEG_INCOMPLETE,
  /* By a macroblock or more; nothing was decoded. */
  CJPEG_OTHER_SIZE,
  /* Progressive, in several scans, arithmetic coding, other colours than YCbCr and grey, or a sampling that no camera
     has. */
  CJPEG_UNSUPPORTED,
  /* libjpeg refused it. */
  CJPEG_DAMAGED,
};

/* Rows are written to the next multiple of 8 samples, so strides are multiples of 8. */
struct cjpeg_image {
  uint8_t *y;
  uint8_t *u;
  uint8_t *v;
  size_t y_stride;
  size_t chroma_stride;
};

struct cjpeg_size {
  uint32_t width;
  uint32_t height;
};

struct cjpeg_decoder;

/* Makes a decoder for images of one size. Returns NULL when memory is short, for a size that JPEG does not have, and
   where the library is not the one that this was compiled for. */
struct cjpeg_decoder *cjpeg_create(uint32_t width, uint32_t height);
void cjpeg_destroy(struct cjpeg_decoder *decoder);

/* Decodes one frame into the whole of `target`, whose samples it leaves in JPEG's full range. Allocates nothing and keeps
   nothing of earlier frames. The work is bounded by the size of the image and the bytes of the frame. Unless it
   returns CJPEG_DECODED, `target` may hold parts of an image. With CJPEG_OTHER_SIZE `found` gets the size that the
   image has.

   Takes what cameras send: bytes before the first SOI, an image that was cut off in front of a whole one, no EOI, stray
   bytes. An image that is larger or smaller by less than a macroblock is cropped or padded. */
enum cjpeg_status cjpeg_decode(
    struct cjpeg_decoder *decoder, const uint8_t *frame, size_t size, struct cjpeg_image target,
    struct cjpeg_size *found);

#endif
