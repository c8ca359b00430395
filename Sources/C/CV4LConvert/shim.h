/* libv4lconvert's frame converter, apart from any device: it is shown a device that has one format and all controls, so
   it neither touches the real one nor makes up controls (which it would keep in shared memory). */
#ifndef LIVESESSIONS_CV4LCONVERT_H
#define LIVESESSIONS_CV4LCONVERT_H

#include <errno.h>
#include <libv4l-plugin.h>
#include <libv4lconvert.h>
#include <stdint.h>
#include <string.h>

/* The pretended device; `format` is its FourCC code. */
static inline int cv4lconvert_ioctl(void *format, int descriptor, unsigned long request, void *argument) {
  (void)descriptor;
  switch (request) {
    case VIDIOC_ENUM_FMT: {
      struct v4l2_fmtdesc *entry = (struct v4l2_fmtdesc *)argument;
      if (entry->index != 0) break;
      entry->pixelformat = (uint32_t)(uintptr_t)format;
      return 0;
    }
    case VIDIOC_QUERYCAP:
      memset(argument, 0, sizeof(struct v4l2_capability));
      return 0;
    case VIDIOC_QUERYCTRL:
      ((struct v4l2_queryctrl *)argument)->flags = 0;
      return 0;
    case VIDIOC_TRY_FMT:
      return 0;
  }
  errno = EINVAL;
  return -1;
}

/* Returns NULL when memory is short. */
static inline struct v4lconvert_data *cv4lconvert_create(uint32_t format) {
  static const struct libv4l_dev_ops pretended = {.ioctl = cv4lconvert_ioctl};
  return v4lconvert_create_with_dev_ops(-1, (void *)(uintptr_t)format, &pretended);
}

static inline struct v4l2_format cv4lconvert_format(
    uint32_t code, uint32_t width, uint32_t height, uint32_t bytes_per_line, uint32_t size) {
  struct v4l2_format format;
  memset(&format, 0, sizeof format);
  format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  format.fmt.pix.pixelformat = code;
  format.fmt.pix.width = width;
  format.fmt.pix.height = height;
  format.fmt.pix.bytesperline = bytes_per_line;
  format.fmt.pix.sizeimage = size;
  format.fmt.pix.field = V4L2_FIELD_NONE;
  return format;
}

/* Whether the converter's own format, the one that it was made with, can become `target`. */
static inline int cv4lconvert_makes(struct v4lconvert_data *data, uint32_t code, uint32_t target) {
  struct v4l2_format source, wanted = cv4lconvert_format(target, 640, 480, 0, 0);
  if (v4lconvert_try_format(data, &wanted, &source) != 0) return 0;
  return wanted.fmt.pix.pixelformat == target && source.fmt.pix.pixelformat == code;
}

/* Converts one frame to `target`, without gaps between rows or planes; returns the bytes written, or -1 for a frame
   that cannot be read. Writes into `source` as well, and reads beyond `size` when the frame is damaged. */
static inline int cv4lconvert_convert(
    struct v4lconvert_data *data, uint32_t code, uint32_t width, uint32_t height, uint32_t bytes_per_line,
    uint8_t *source, int size, uint32_t target, uint8_t *destination, int capacity) {
  struct v4l2_format from = cv4lconvert_format(code, width, height, bytes_per_line, (uint32_t)size);
  struct v4l2_format to = cv4lconvert_format(target, width, height, 0, 0);
  v4lconvert_fixup_fmt(&to);
  return v4lconvert_convert(data, &from, &to, source, size, destination, capacity);
}

static const uint32_t cv4lconvert_yu12 = V4L2_PIX_FMT_YUV420;
static const uint32_t cv4lconvert_rgb24 = V4L2_PIX_FMT_RGB24;

#endif
