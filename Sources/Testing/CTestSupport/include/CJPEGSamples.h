/* JPEGs as cameras and encoders make them, and some that no camera makes, for tests. */
#ifndef LIVESESSIONS_CJPEGSAMPLES_H
#define LIVESESSIONS_CJPEGSAMPLES_H

#include <stddef.h>
#include <stdint.h>

enum cjpeg_sample_coding {
  CJPEG_SAMPLE_BASELINE = 0,
  CJPEG_SAMPLE_PROGRESSIVE,
  CJPEG_SAMPLE_SCAN_A_COMPONENT,
  CJPEG_SAMPLE_ARITHMETIC,
};

struct cjpeg_sample {
  int width;
  int height;
  /* 1 for grey, 3 for YCbCr, 4 for CMYK. */
  int components;
  /* Sampling factors of luma and of both components of chroma, across and down. */
  int luma[2];
  int chroma[2];
  enum cjpeg_sample_coding coding;
  /* Samples are red, green and blue. */
  int is_rgb;
  int lacks_huffman_tables;
  int lacks_quantization_tables;
  /* MCUs from one restart marker to the next; 0 for none. */
  int restart_interval;
};

/* Encodes `samples`, interleaved rows without gaps, at quality 95. Returns the bytes, which cjpeg_sample_free takes, or
   NULL. */
uint8_t *cjpeg_sample_encode(const struct cjpeg_sample *sample, const uint8_t *samples, size_t *size);
void cjpeg_sample_free(uint8_t *bytes);

#endif
