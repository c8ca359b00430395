#include "CJPEGEncoder.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

enum { COMPONENTS = 3, LEVELS = 256 };

struct encoder {
  struct jpeg_compress_struct jpeg;
  struct jpeg_error_mgr errors;
  jmp_buf escape;
  unsigned char *bytes;
  unsigned long size;
  /* One row: luma and both chroma components of each pixel. */
  unsigned char *row;
  unsigned char luma[LEVELS];
  unsigned char chroma[LEVELS];
};

static void escape(j_common_ptr jpeg) { longjmp(((struct encoder *)jpeg->client_data)->escape, 1); }

static unsigned char clipped(int value) { return (unsigned char)(value < 0 ? 0 : value > 255 ? 255 : value); }

/* Video has 16 to 235 for luma and 16 to 240 for chroma (BT.601), JFIF 0 to 255 for both. */
static void fill_tables(struct encoder *encoder) {
  for (int level = 0; level < LEVELS; level++) {
    encoder->luma[level] = clipped(((level - 16) * 255 + 109) / 219);
    int difference = (level - 128) * 255;
    encoder->chroma[level] = clipped(128 + (difference + (difference < 0 ? -112 : 112)) / 224);
  }
}

static void write_row(struct encoder *encoder, const struct cjpeg_source *source, uint32_t number) {
  const uint8_t *y = source->y + number * source->y_stride;
  const uint8_t *u = source->u + number / 2 * source->chroma_stride;
  const uint8_t *v = source->v + number / 2 * source->chroma_stride;
  unsigned char *target = encoder->row;
  for (uint32_t column = 0; column < source->width; column++) {
    *target++ = encoder->luma[y[column]];
    *target++ = encoder->chroma[u[column / 2]];
    *target++ = encoder->chroma[v[column / 2]];
  }
  JSAMPROW row = encoder->row;
  jpeg_write_scanlines(&encoder->jpeg, &row, 1);
}

static void encode(struct encoder *encoder, const struct cjpeg_source *source, int quality) {
  jpeg_create_compress(&encoder->jpeg);
  jpeg_mem_dest(&encoder->jpeg, &encoder->bytes, &encoder->size);
  encoder->jpeg.image_width = source->width;
  encoder->jpeg.image_height = source->height;
  encoder->jpeg.input_components = COMPONENTS;
  encoder->jpeg.in_color_space = JCS_YCbCr;
  jpeg_set_defaults(&encoder->jpeg);
  jpeg_set_quality(&encoder->jpeg, quality, TRUE);
  jpeg_start_compress(&encoder->jpeg, TRUE);
  for (uint32_t number = 0; number < source->height; number++) write_row(encoder, source, number);
  jpeg_finish_compress(&encoder->jpeg);
}

uint8_t *cjpeg_encode(const struct cjpeg_source *source, int quality, size_t *size) {
  struct encoder *encoder = calloc(1, sizeof *encoder);
  if (encoder == NULL) return NULL;
  encoder->row = malloc((size_t)source->width * COMPONENTS);
  encoder->jpeg.err = jpeg_std_error(&encoder->errors);
  encoder->jpeg.client_data = encoder;
  encoder->errors.error_exit = escape;
  fill_tables(encoder);
  if (encoder->row != NULL && setjmp(encoder->escape) == 0) {
    encode(encoder, source, quality);
    *size = encoder->size;
  } else {
    free(encoder->bytes);
    encoder->bytes = NULL;
  }
  uint8_t *bytes = encoder->bytes;
  jpeg_destroy_compress(&encoder->jpeg);
  free(encoder->row);
  free(encoder);
  return bytes;
}

void cjpeg_encode_free(uint8_t *bytes) { free(bytes); }
