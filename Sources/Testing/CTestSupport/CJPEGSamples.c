#include "CJPEGSamples.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

struct encoder {
  struct jpeg_compress_struct jpeg;
  struct jpeg_error_mgr errors;
  jmp_buf escape;
  unsigned char *bytes;
  unsigned long size;
};

static void escape(j_common_ptr jpeg) { longjmp(((struct encoder *)jpeg->client_data)->escape, 1); }

static J_COLOR_SPACE colours(const struct cjpeg_sample *sample) {
  if (sample->components == 1) return JCS_GRAYSCALE;
  if (sample->components == 4) return JCS_CMYK;
  return sample->is_rgb ? JCS_RGB : JCS_YCbCr;
}

static void set_sampling(j_compress_ptr jpeg, const struct cjpeg_sample *sample) {
  for (int index = 0; index < jpeg->num_components; index++) {
    const int *factors = index == 0 ? sample->luma : sample->chroma;
    jpeg->comp_info[index].h_samp_factor = factors[0];
    jpeg->comp_info[index].v_samp_factor = factors[1];
  }
}

static void set_coding(j_compress_ptr jpeg, enum cjpeg_sample_coding coding) {
  static const jpeg_scan_info scans[3] = {
      {1, {0}, 0, DCTSIZE2 - 1, 0, 0}, {1, {1}, 0, DCTSIZE2 - 1, 0, 0}, {1, {2}, 0, DCTSIZE2 - 1, 0, 0}};
  if (coding == CJPEG_SAMPLE_PROGRESSIVE) jpeg_simple_progression(jpeg);
  if (coding == CJPEG_SAMPLE_ARITHMETIC) jpeg->arith_code = TRUE;
  if (coding != CJPEG_SAMPLE_SCAN_A_COMPONENT) return;
  jpeg->scan_info = scans;
  jpeg->num_scans = 3;
}

static void leave_tables_out(j_compress_ptr jpeg, const struct cjpeg_sample *sample) {
  for (int index = 0; index < NUM_HUFF_TBLS && sample->lacks_huffman_tables; index++) {
    if (jpeg->dc_huff_tbl_ptrs[index]) jpeg->dc_huff_tbl_ptrs[index]->sent_table = TRUE;
    if (jpeg->ac_huff_tbl_ptrs[index]) jpeg->ac_huff_tbl_ptrs[index]->sent_table = TRUE;
  }
  for (int index = 0; index < NUM_QUANT_TBLS && sample->lacks_quantization_tables; index++)
    if (jpeg->quant_tbl_ptrs[index]) jpeg->quant_tbl_ptrs[index]->sent_table = TRUE;
}

static void configure(j_compress_ptr jpeg, const struct cjpeg_sample *sample) {
  jpeg->image_width = (JDIMENSION)sample->width;
  jpeg->image_height = (JDIMENSION)sample->height;
  jpeg->input_components = sample->components;
  jpeg->in_color_space = colours(sample);
  jpeg_set_defaults(jpeg);
  jpeg_set_colorspace(jpeg, colours(sample));
  jpeg_set_quality(jpeg, 95, TRUE);
  jpeg->restart_interval = (unsigned)sample->restart_interval;
  set_sampling(jpeg, sample);
  set_coding(jpeg, sample->coding);
  jpeg_suppress_tables(jpeg, FALSE);
  leave_tables_out(jpeg, sample);
}

static void encode(struct encoder *encoder, const struct cjpeg_sample *sample, const uint8_t *samples) {
  jpeg_create_compress(&encoder->jpeg);
  jpeg_mem_dest(&encoder->jpeg, &encoder->bytes, &encoder->size);
  configure(&encoder->jpeg, sample);
  jpeg_start_compress(&encoder->jpeg, FALSE);
  size_t stride = (size_t)sample->width * (size_t)sample->components;
  while (encoder->jpeg.next_scanline < encoder->jpeg.image_height) {
    JSAMPROW row = (JSAMPROW)(uintptr_t)(samples + encoder->jpeg.next_scanline * stride);
    jpeg_write_scanlines(&encoder->jpeg, &row, 1);
  }
  jpeg_finish_compress(&encoder->jpeg);
}

uint8_t *cjpeg_sample_encode(const struct cjpeg_sample *sample, const uint8_t *samples, size_t *size) {
  struct encoder *encoder = calloc(1, sizeof *encoder);
  if (encoder == NULL) return NULL;
  encoder->jpeg.err = jpeg_std_error(&encoder->errors);
  encoder->jpeg.client_data = encoder;
  encoder->errors.error_exit = escape;
  if (setjmp(encoder->escape) == 0) {
    encode(encoder, sample, samples);
    *size = encoder->size;
  } else {
    free(encoder->bytes);
    encoder->bytes = NULL;
  }
  uint8_t *bytes = encoder->bytes;
  jpeg_destroy_compress(&encoder->jpeg);
  free(encoder);
  return bytes;
}

void cjpeg_sample_free(uint8_t *bytes) { free(bytes); }
