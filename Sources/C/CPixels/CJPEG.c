#define _GNU_SOURCE 1
#include "CJPEG.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

enum {
  /* What libjpeg allocates for one image of one scan, whatever its size, is less than a third of this. */
  ARENA_BYTES = 64 * 1024,
  /* The strictest alignment that libjpeg's vector code asks for is 32. */
  ALIGNMENT = 64,
  /* Rows that one step decodes at most: four blocks (T.81 A.1.1). */
  MAX_ROWS = MAX_SAMP_FACTOR * DCTSIZE,
  /* Of chroma, where it is converted: two blocks. */
  MAX_CHROMA_ROWS = 2 * DCTSIZE,
  /* An image that differs by less than this is cropped or padded: cameras code whole macroblocks, 1088 rows for 1080. */
  MACROBLOCK = 16,
  /* The maximum number of images tried per frame. */
  MAX_ATTEMPTS = 4,
  /* An image counts as decoded if at most one row in this many lacks data. */
  ROWS_PER_LOST_ROW = 8,
  SOI = 0xD8,
};

struct cjpeg_decoder {
  struct jpeg_decompress_struct jpeg;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr source;
  jmp_buf escape;
  uint32_t width;
  uint32_t height;
  struct cjpeg_image target;
  /* Where the rows of the next step go, by component. */
  JSAMPROW rows[3][MAX_ROWS];
  /* Samples of a row of `spare`, `chroma` and `luma`. */
  size_t row_bytes;
  /* Takes the rows below the image. */
  uint8_t *spare;
  /* Rows of both components' chroma before they are converted. */
  uint8_t *chroma;
  /* Rows of luma of an image that is not as wide as the target. */
  uint8_t *luma;
  /* Behind this another image may begin: SOI, or a whole header with its thumbnail. */
  const uint8_t *passed;
  /* The library asked for data beyond the frame. */
  int has_ended;
  /* Data of the current step of rows were missing or wrong. */
  int is_lost;
  /* Rows so far of which that is so. */
  uint32_t lost_rows;
  size_t used;
  _Alignas(ALIGNMENT) uint8_t arena[ARENA_BYTES];
};

static size_t round_up(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

/* Memory. */

/* Lasts until the next frame begins, for images' and permanent blocks alike: what is permanent, but for what was made
   with the decoder, are tables. */
static void *allocate(j_common_ptr jpeg, int pool, size_t size) {
  struct cjpeg_decoder *decoder = jpeg->client_data;
  (void)pool;
  if (size > ARENA_BYTES - decoder->used) jpeg->err->error_exit(jpeg);
  void *block = decoder->arena + decoder->used;
  decoder->used += round_up(size, ALIGNMENT);
  return block;
}

/* Tables of an earlier frame are not for this one. Without Huffman tables libjpeg-turbo takes those of T.81 K.3, which
   is what cameras that leave them out mean. */
static void forget_last_frame(struct cjpeg_decoder *decoder) {
  memset(decoder->jpeg.quant_tbl_ptrs, 0, sizeof decoder->jpeg.quant_tbl_ptrs);
  memset(decoder->jpeg.dc_huff_tbl_ptrs, 0, sizeof decoder->jpeg.dc_huff_tbl_ptrs);
  memset(decoder->jpeg.ac_huff_tbl_ptrs, 0, sizeof decoder->jpeg.ac_huff_tbl_ptrs);
  decoder->used = 0;
  decoder->has_ended = 0;
  decoder->is_lost = 0;
  decoder->lost_rows = 0;
}

/* Errors. */

static void escape(j_common_ptr jpeg) {
  struct cjpeg_decoder *decoder = jpeg->client_data;
  longjmp(decoder->escape, 1);
}

static void say_nothing(j_common_ptr jpeg) { (void)jpeg; }

/* Warnings have a negative level. Stray bytes before a marker, the commonest one, harm no sample. */
static void note_warning(j_common_ptr jpeg, int level) {
  struct cjpeg_decoder *decoder = jpeg->client_data;
  if (level >= 0) return;
  int code = jpeg->err->msg_code;
  if (code == JWRN_HIT_MARKER || code == JWRN_HUFF_BAD_CODE || code == JWRN_MUST_RESYNC) decoder->is_lost = 1;
}

static void set_error_handlers(struct cjpeg_decoder *decoder) {
  decoder->jpeg.err = jpeg_std_error(&decoder->errors);
  decoder->errors.error_exit = escape;
  decoder->errors.emit_message = note_warning;
  decoder->errors.output_message = say_nothing;
}

/* Source: all bytes of the frame at once. */

static void begin_source(j_decompress_ptr jpeg) { (void)jpeg; }

/* Some cameras leave EOI out, and a frame may be cut off: what was decoded until then decides. */
static boolean end_input(j_decompress_ptr jpeg) {
  static const JOCTET end[] = {0xFF, JPEG_EOI};
  struct cjpeg_decoder *decoder = jpeg->client_data;
  decoder->has_ended = 1;
  jpeg->src->next_input_byte = end;
  jpeg->src->bytes_in_buffer = sizeof end;
  return TRUE;
}

static void skip_input(j_decompress_ptr jpeg, long count) {
  size_t skipped = count < 0 ? 0 : (size_t)count;
  if (skipped > jpeg->src->bytes_in_buffer) skipped = jpeg->src->bytes_in_buffer;
  jpeg->src->next_input_byte += skipped;
  jpeg->src->bytes_in_buffer -= skipped;
}

static void set_source(struct cjpeg_decoder *decoder, const uint8_t *frame, size_t size) {
  decoder->source = (struct jpeg_source_mgr){
      .next_input_byte = frame,
      .bytes_in_buffer = size,
      .init_source = begin_source,
      .fill_input_buffer = end_input,
      .skip_input_data = skip_input,
      .resync_to_restart = jpeg_resync_to_restart,
      .term_source = begin_source,
  };
  decoder->jpeg.src = &decoder->source;
}

/* Where an image begins: SOI and the first byte of the next marker; NULL for none. */
static const uint8_t *find_image(const uint8_t *begin, const uint8_t *end) {
  static const uint8_t start[] = {0xFF, SOI, 0xFF};
  return memmem(begin, (size_t)(end - begin), start, sizeof start);
}

/* Application data may hold a thumbnail, and a comment anything. */
static int may_hold_image(uint8_t marker) { return (marker >= 0xE0 && marker <= 0xEF) || marker == 0xFE; }

/* The image that begins within the header of the one at `begin`, which was cut off there: its tables would be read from the
   other's bytes. NULL for a header that is whole. */
static const uint8_t *find_within_header(const uint8_t *begin, const uint8_t *end) {
  const uint8_t *at = begin + 2;
  while (end - at >= 4 && at[0] == 0xFF) {
    uint8_t marker = at[1];
    if (marker == SOI) return at;
    if (marker == 0xFF) {
      at++;
      continue;
    }
    size_t left = (size_t)(end - at) - 2, length = (size_t)at[2] << 8 | at[3];
    if (length > left) length = left;
    /* Up to a beginning whose first byte is the segment's last. */
    size_t searched = left - length < 2 ? left : length + 2;
    const uint8_t *other = may_hold_image(marker) ? NULL : find_image(at + 2, at + 2 + searched);
    if (other != NULL || marker == 0xDA) return other;
    at += 2 + length;
  }
  return NULL;
}

/* Skips images whose headers were cut off. */
static const uint8_t *find_whole_header(const uint8_t *begin, const uint8_t *end) {
  const uint8_t *image = find_image(begin, end), *other;
  while (image != NULL && (other = find_within_header(image, end)) != NULL) image = other;
  return image;
}

/* Sampling. */

/* By how much a component is smaller than the image; 0 where that is no power of two up to four. */
static int ratio(int largest, int factor) {
  if (largest % factor != 0) return 0;
  int ratio = largest / factor;
  return ratio == 1 || ratio == 2 || ratio == 4 ? ratio : 0;
}

static int horizontal_ratio(const struct cjpeg_decoder *decoder, int component) {
  return ratio(decoder->jpeg.max_h_samp_factor, decoder->jpeg.comp_info[component].h_samp_factor);
}

static int vertical_ratio(const struct cjpeg_decoder *decoder, int component) {
  return ratio(decoder->jpeg.max_v_samp_factor, decoder->jpeg.comp_info[component].v_samp_factor);
}

static uint32_t smaller(uint32_t one, uint32_t other) { return one < other ? one : other; }

static int is_as_wide(const struct cjpeg_decoder *decoder) { return decoder->jpeg.image_width == decoder->width; }

/* Rows of the image that the target has. */
static uint32_t shown_height(const struct cjpeg_decoder *decoder) {
  return smaller(decoder->jpeg.image_height, decoder->height);
}

/* Whether a component's rows are those of I420's chroma. */
static int is_direct(const struct cjpeg_decoder *decoder, int component) {
  return is_as_wide(decoder) && horizontal_ratio(decoder, component) == 2 && vertical_ratio(decoder, component) == 2;
}

static int has_known_chroma(const struct cjpeg_decoder *decoder, int component) {
  return horizontal_ratio(decoder, component) != 0 && vertical_ratio(decoder, component) != 0
      && decoder->jpeg.comp_info[component].v_samp_factor * DCTSIZE <= MAX_CHROMA_ROWS;
}

static int has_known_sampling(const struct cjpeg_decoder *decoder) {
  if (horizontal_ratio(decoder, 0) != 1 || vertical_ratio(decoder, 0) != 1) return 0;
  if (decoder->jpeg.jpeg_color_space == JCS_GRAYSCALE) return decoder->jpeg.num_components == 1;
  return decoder->jpeg.jpeg_color_space == JCS_YCbCr && decoder->jpeg.num_components == 3
      && has_known_chroma(decoder, 1) && has_known_chroma(decoder, 2);
}

static int is_supported(struct cjpeg_decoder *decoder) {
  return !jpeg_has_multiple_scans(&decoder->jpeg) && !decoder->jpeg.arith_code
      && decoder->jpeg.data_precision == 8 && has_known_sampling(decoder);
}

/* Chroma. */

static uint32_t chroma_width(const struct cjpeg_decoder *decoder) { return (decoder->width + 1) / 2; }
static uint32_t chroma_height(const struct cjpeg_decoder *decoder) { return (decoder->height + 1) / 2; }

static uint8_t *chroma_plane(const struct cjpeg_decoder *decoder, int component) {
  return component == 1 ? decoder->target.u : decoder->target.v;
}

/* Averages two rows, which may be the same. */
static void average(const uint8_t *first, const uint8_t *second, uint8_t *restrict target, uint32_t width) {
  for (uint32_t x = 0; x < width; x++) target[x] = (uint8_t)((first[x] + second[x] + 1) >> 1);
}

/* The sum of two samples side by side; read at once, which the compiler turns into vector code. */
static unsigned pair(const uint8_t *samples) {
  uint16_t both;
  memcpy(&both, samples, sizeof both);
  return (both & 0xFFU) + (both >> 8);
}

/* Averages squares of two by two samples. Behind the last column of an odd number the row holds that column's sample. */
static void average_squares(const uint8_t *first, const uint8_t *second, uint8_t *restrict target, uint32_t width) {
  for (uint32_t x = 0; x < width; x++) target[x] = (uint8_t)((pair(first + 2 * x) + pair(second + 2 * x) + 2) >> 2);
}

/* Averages two rows of half the target's width. */
static void average_widened(const uint8_t *first, const uint8_t *second, uint8_t *restrict target, uint32_t width) {
  for (uint32_t x = 0; x < width; x++) target[x] = (uint8_t)((first[x / 2] + second[x / 2] + 1) >> 1);
}

/* Repeats the last of `count` samples until there are `needed`. */
static void extend(uint8_t *row, uint32_t count, uint32_t needed) {
  if (count < needed) memset(row + count, row[count - 1], needed - count);
}

/* Samples in a row of a component, and how many its target is made of. */
static void extend_row(struct cjpeg_decoder *decoder, int component, uint8_t *row) {
  uint32_t ratio = (uint32_t)horizontal_ratio(decoder, component);
  uint32_t needed = component == 0 ? decoder->width : (2 * chroma_width(decoder) + ratio - 1) / ratio;
  extend(row, (decoder->jpeg.image_width + ratio - 1) / ratio, needed);
}

static void convert_row(
    struct cjpeg_decoder *decoder, int component, uint8_t *first, uint8_t *second, uint8_t *target) {
  uint32_t width = chroma_width(decoder);
  extend_row(decoder, component, first);
  extend_row(decoder, component, second);
  switch (horizontal_ratio(decoder, component)) {
    case 1:
      average_squares(first, second, target, width);
      break;
    case 2:
      average(first, second, target, width);
      break;
    default:
      average_widened(first, second, target, width);
  }
}

/* Converts what one step decoded of a component, from row `top` of I420's chroma on. */
static void convert_chroma(struct cjpeg_decoder *decoder, int component, uint32_t top) {
  int vertical = vertical_ratio(decoder, component);
  uint32_t rows = (uint32_t)decoder->jpeg.max_v_samp_factor * DCTSIZE / 2;
  uint32_t height = shown_height(decoder);
  for (uint32_t row = 0; row < rows && (top + row) * 2 < height; row++) {
    uint32_t first = row * 2 / (uint32_t)vertical;
    /* The last row of an odd number has no second one. */
    int is_pair = vertical == 1 && (top + row) * 2 + 1 < height;
    uint8_t *target = chroma_plane(decoder, component) + (top + row) * decoder->target.chroma_stride;
    JSAMPROW *source = decoder->rows[component] + first;
    convert_row(decoder, component, source[0], source[is_pair], target);
  }
}

/* Copies what one step decoded of luma to where it belongs. */
static void copy_luma(struct cjpeg_decoder *decoder, uint32_t top, uint32_t step) {
  for (uint32_t row = 0; row < step && top + row < shown_height(decoder); row++) {
    extend_row(decoder, 0, decoder->rows[0][row]);
    memcpy(decoder->target.y + (top + row) * decoder->target.y_stride, decoder->rows[0][row], decoder->width);
  }
}

/* Rows. */

/* Points at rows of a plane, and at the spare row for those below the plane. */
static void point_at_plane(
    struct cjpeg_decoder *decoder, int component, uint8_t *plane, size_t stride, uint32_t top, uint32_t height) {
  uint32_t count = (uint32_t)decoder->jpeg.comp_info[component].v_samp_factor * DCTSIZE;
  for (uint32_t row = 0; row < count; row++)
    decoder->rows[component][row] = top + row < height ? plane + (top + row) * stride : decoder->spare;
}

static void point_at_scratch(struct cjpeg_decoder *decoder, int component, uint8_t *begin, size_t count) {
  for (size_t row = 0; row < count; row++) decoder->rows[component][row] = begin + row * decoder->row_bytes;
}

/* Points at where the step from luma row `top` on belongs. */
static void point_at_target(struct cjpeg_decoder *decoder, uint32_t top) {
  const struct cjpeg_image *target = &decoder->target;
  if (is_as_wide(decoder))
    point_at_plane(decoder, 0, target->y, target->y_stride, top, decoder->height);
  else
    point_at_scratch(decoder, 0, decoder->luma, MAX_ROWS);
  for (int component = 1; component < decoder->jpeg.num_components; component++) {
    if (!is_direct(decoder, component)) {
      uint8_t *begin = decoder->chroma + (size_t)(component - 1) * MAX_CHROMA_ROWS * decoder->row_bytes;
      point_at_scratch(decoder, component, begin, MAX_CHROMA_ROWS);
      continue;
    }
    uint8_t *plane = chroma_plane(decoder, component);
    point_at_plane(decoder, component, plane, target->chroma_stride, top / 2, chroma_height(decoder));
  }
}

/* Without restart markers everything behind a fault is lost, else what comes up to the next one. */
static void count_lost_rows(struct cjpeg_decoder *decoder, uint32_t step) {
  if (!decoder->is_lost) return;
  decoder->lost_rows += step;
  int marker = decoder->jpeg.unread_marker;
  int is_restarted = marker == 0 || (marker >= JPEG_RST0 && marker <= JPEG_RST0 + 7);
  if (decoder->jpeg.restart_interval != 0 && is_restarted) decoder->is_lost = 0;
}

static void decode_step(struct cjpeg_decoder *decoder, uint32_t top, uint32_t step) {
  JSAMPARRAY planes[3] = {decoder->rows[0], decoder->rows[1], decoder->rows[2]};
  point_at_target(decoder, top);
  jpeg_read_raw_data(&decoder->jpeg, planes, step);
  if (!is_as_wide(decoder)) copy_luma(decoder, top, step);
  for (int component = 1; component < decoder->jpeg.num_components; component++)
    if (!is_direct(decoder, component)) convert_chroma(decoder, component, top / 2);
}

/* An image that ends at the beginning of another one was cut off there, however little is missing. */
static enum cjpeg_status decode_rows(struct cjpeg_decoder *decoder) {
  uint32_t step = (uint32_t)decoder->jpeg.max_v_samp_factor * DCTSIZE;
  for (uint32_t top = 0; top < shown_height(decoder); top += step) {
    decode_step(decoder, top, step);
    count_lost_rows(decoder, step);
  }
  if (decoder->lost_rows == 0) return CJPEG_DECODED;
  if (decoder->jpeg.unread_marker == SOI) return CJPEG_INCOMPLETE;
  return decoder->lost_rows * ROWS_PER_LOST_ROW <= decoder->height ? CJPEG_DECODED : CJPEG_INCOMPLETE;
}

/* Repeats row `count - 1` down to the end of a plane. */
static void repeat_row(uint8_t *plane, size_t stride, uint32_t count, uint32_t height) {
  for (uint32_t row = count; row < height; row++) memcpy(plane + row * stride, plane + (count - 1) * stride, stride);
}

static void pad_below(struct cjpeg_decoder *decoder) {
  struct cjpeg_image *target = &decoder->target;
  uint32_t count = shown_height(decoder);
  repeat_row(target->y, target->y_stride, count, decoder->height);
  repeat_row(target->u, target->chroma_stride, (count + 1) / 2, chroma_height(decoder));
  repeat_row(target->v, target->chroma_stride, (count + 1) / 2, chroma_height(decoder));
}

static void leave_colours_out(struct cjpeg_decoder *decoder) {
  size_t size = decoder->target.chroma_stride * chroma_height(decoder);
  memset(decoder->target.u, 128, size);
  memset(decoder->target.v, 128, size);
}

/* Frames. */

static int is_near(uint32_t one, uint32_t other) { return (one < other ? other - one : one - other) < MACROBLOCK; }

/* Reads up to the scan, which is before libjpeg works on any sample. */
static enum cjpeg_status read_header(struct cjpeg_decoder *decoder) {
  if (jpeg_read_header(&decoder->jpeg, TRUE) != JPEG_HEADER_OK || decoder->has_ended) return CJPEG_INCOMPLETE;
  decoder->passed = decoder->source.next_input_byte;
  if (!is_near(decoder->jpeg.image_width, decoder->width) || !is_near(decoder->jpeg.image_height, decoder->height))
    return CJPEG_OTHER_SIZE;
  return is_supported(decoder) ? CJPEG_DECODED : CJPEG_UNSUPPORTED;
}

static int start(struct cjpeg_decoder *decoder) {
  decoder->jpeg.raw_data_out = TRUE;
  decoder->jpeg.dct_method = JDCT_IFAST;
  decoder->jpeg.do_fancy_upsampling = FALSE;
  decoder->jpeg.do_block_smoothing = FALSE;
  return jpeg_start_decompress(&decoder->jpeg);
}

static enum cjpeg_status decode_image(struct cjpeg_decoder *decoder) {
  enum cjpeg_status status = read_header(decoder);
  if (status != CJPEG_DECODED) return status;
  if (!start(decoder)) return CJPEG_INCOMPLETE;
  if (decoder->jpeg.num_components == 1) leave_colours_out(decoder);
  status = decode_rows(decoder);
  if (status == CJPEG_DECODED) pad_below(decoder);
  return status;
}

/* Decodes the image that begins with a frame's part. */
static enum cjpeg_status decode_part(struct cjpeg_decoder *decoder, const uint8_t *begin, const uint8_t *end) {
  forget_last_frame(decoder);
  set_source(decoder, begin, (size_t)(end - begin));
  decoder->passed = begin + 2;
  enum cjpeg_status status;
  if (setjmp(decoder->escape) == 0)
    status = decode_image(decoder);
  else
    status = decoder->has_ended ? CJPEG_INCOMPLETE : CJPEG_DAMAGED;
  jpeg_abort_decompress(&decoder->jpeg);
  return status;
}

/* Whether a frame may hold another image behind one with this outcome: cameras put a whole one behind one that was cut
   off. */
static int may_be_followed(enum cjpeg_status status) { return status == CJPEG_INCOMPLETE || status == CJPEG_DAMAGED; }

enum cjpeg_status cjpeg_decode(
    struct cjpeg_decoder *decoder, const uint8_t *frame, size_t size, struct cjpeg_image target,
    struct cjpeg_size *found) {
  if (size == 0) return CJPEG_INCOMPLETE;
  decoder->target = target;
  enum cjpeg_status status = CJPEG_INCOMPLETE;
  const uint8_t *end = frame + size;
  const uint8_t *image = find_whole_header(frame, end);
  for (int attempt = 0; image != NULL && attempt < MAX_ATTEMPTS; attempt++) {
    enum cjpeg_status last = decode_part(decoder, image, end);
    if (attempt == 0 || !may_be_followed(last)) status = last;
    if (!may_be_followed(last)) break;
    image = find_whole_header(decoder->passed, end);
  }
  if (status == CJPEG_OTHER_SIZE)
    *found = (struct cjpeg_size){decoder->jpeg.image_width, decoder->jpeg.image_height};
  return status;
}

/* Making. */

static int allocate_rows(struct cjpeg_decoder *decoder) {
  decoder->row_bytes = round_up(decoder->width + 2 * MACROBLOCK, ALIGNMENT);
  decoder->spare = calloc(1 + 2 * MAX_CHROMA_ROWS + MAX_ROWS, decoder->row_bytes);
  if (decoder->spare == NULL) return 0;
  decoder->chroma = decoder->spare + decoder->row_bytes;
  decoder->luma = decoder->chroma + 2 * MAX_CHROMA_ROWS * decoder->row_bytes;
  return 1;
}

static int create_jpeg(struct cjpeg_decoder *decoder) {
  set_error_handlers(decoder);
  decoder->jpeg.client_data = decoder;
  if (setjmp(decoder->escape) != 0) return 0;
  jpeg_create_decompress(&decoder->jpeg);
  /* From here on; what is virtual or a plane of samples would still come from the heap, and is never asked for. */
  decoder->jpeg.mem->alloc_small = allocate;
  decoder->jpeg.mem->alloc_large = allocate;
  return 1;
}

struct cjpeg_decoder *cjpeg_create(uint32_t width, uint32_t height) {
  if (width == 0 || height == 0 || width > JPEG_MAX_DIMENSION || height > JPEG_MAX_DIMENSION) return NULL;
  struct cjpeg_decoder *decoder = aligned_alloc(ALIGNMENT, round_up(sizeof *decoder, ALIGNMENT));
  if (decoder == NULL) return NULL;
  memset(decoder, 0, sizeof *decoder);
  decoder->width = width;
  decoder->height = height;
  if (allocate_rows(decoder) && create_jpeg(decoder)) return decoder;
  cjpeg_destroy(decoder);
  return NULL;
}

void cjpeg_destroy(struct cjpeg_decoder *decoder) {
  jpeg_destroy_decompress(&decoder->jpeg);
  free(decoder->spare);
  free(decoder);
}
