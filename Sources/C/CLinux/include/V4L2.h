/* Video4Linux: ioctl numbers and FourCC codes are macros that compute; here they are constants. Formats and buffers of
   single-planar and multi-planar queues, which the kernel keeps in different structures, have one form here. */
#ifndef LIVESESSIONS_CV4L2_H
#define LIVESESSIONS_CV4L2_H

#include <errno.h>
#include <linux/videodev2.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>

/* Repeats an ioctl that a signal interrupted; returns 0 or the errno. */
static inline int cv4l2_ioctl(int descriptor, unsigned long request, void *argument) {
  int result;
  do {
    result = ioctl(descriptor, request, argument);
  } while (result == -1 && errno == EINTR);
  return result == -1 ? errno : 0;
}

/* No format that a camera delivers has more planes of memory. */
enum { cv4l2_max_planes = 4 };

/* A frame's layout; arrays beyond `planes` are 0. */
struct cv4l2_layout {
  uint32_t width, height, code, colorspace, quantization, field, planes;
  uint32_t bytes_per_line[cv4l2_max_planes], size[cv4l2_max_planes];
};

static inline int cv4l2_is_multiplanar(uint32_t type) { return type == V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE; }

static inline void cv4l2_read_multiplanar(const struct v4l2_pix_format_mplane *format, struct cv4l2_layout *layout) {
  layout->width = format->width;
  layout->height = format->height;
  layout->code = format->pixelformat;
  layout->colorspace = format->colorspace;
  layout->quantization = format->quantization;
  layout->field = format->field;
  layout->planes = format->num_planes;
  for (uint32_t i = 0; i < layout->planes && i < cv4l2_max_planes; i++) {
    layout->bytes_per_line[i] = format->plane_fmt[i].bytesperline;
    layout->size[i] = format->plane_fmt[i].sizeimage;
  }
}

static inline void cv4l2_read_single(const struct v4l2_pix_format *format, struct cv4l2_layout *layout) {
  layout->width = format->width;
  layout->height = format->height;
  layout->code = format->pixelformat;
  layout->colorspace = format->colorspace;
  layout->field = format->field;
  /* Drivers that do not know the fields beyond the oldest ones leave them undefined unless the magic says otherwise. */
  layout->quantization = format->priv == V4L2_PIX_FMT_PRIV_MAGIC ? format->quantization : V4L2_QUANTIZATION_DEFAULT;
  layout->planes = 1;
  layout->bytes_per_line[0] = format->bytesperline;
  layout->size[0] = format->sizeimage;
}

/* Sets or tries the size, code and field order of `layout`, by `request`, and reads back what the driver made of them. */
static inline int cv4l2_run_format(
    int descriptor, unsigned long request, uint32_t type, struct cv4l2_layout *layout) {
  struct v4l2_format format;
  memset(&format, 0, sizeof format);
  format.type = type;
  if (cv4l2_is_multiplanar(type)) {
    format.fmt.pix_mp.width = layout->width;
    format.fmt.pix_mp.height = layout->height;
    format.fmt.pix_mp.pixelformat = layout->code;
    format.fmt.pix_mp.field = layout->field;
  } else {
    format.fmt.pix.width = layout->width;
    format.fmt.pix.height = layout->height;
    format.fmt.pix.pixelformat = layout->code;
    format.fmt.pix.field = layout->field;
    format.fmt.pix.priv = V4L2_PIX_FMT_PRIV_MAGIC;
  }
  int code = cv4l2_ioctl(descriptor, request, &format);
  if (code != 0) return code;
  memset(layout, 0, sizeof *layout);
  if (cv4l2_is_multiplanar(type)) {
    cv4l2_read_multiplanar(&format.fmt.pix_mp, layout);
  } else {
    cv4l2_read_single(&format.fmt.pix, layout);
  }
  return 0;
}

/* One of the driver's frame buffers, mapped memory; arrays beyond `planes` are 0. */
struct cv4l2_buffer {
  uint32_t index, flags, sequence, planes;
  struct timeval timestamp;
  /* Of each plane: its size, and where it is found by mmap (VIDIOC_QUERYBUF). */
  uint32_t length[cv4l2_max_planes], map_offset[cv4l2_max_planes];
  /* Of each plane: where the frame begins, and its size from there (VIDIOC_DQBUF). */
  uint32_t data_offset[cv4l2_max_planes], used[cv4l2_max_planes];
};

static inline void cv4l2_read_planes(const struct v4l2_plane *planes, struct cv4l2_buffer *buffer) {
  for (uint32_t i = 0; i < buffer->planes && i < cv4l2_max_planes; i++) {
    buffer->length[i] = planes[i].length;
    buffer->map_offset[i] = planes[i].m.mem_offset;
    buffer->data_offset[i] = planes[i].data_offset;
    buffer->used[i] = planes[i].bytesused > planes[i].data_offset ? planes[i].bytesused - planes[i].data_offset : 0;
  }
}

/* Runs VIDIOC_QUERYBUF, QBUF or DQBUF for the buffer `buffer->index`; returns 0 or the errno. */
static inline int cv4l2_run_buffer(int descriptor, unsigned long request, uint32_t type, struct cv4l2_buffer *buffer) {
  struct v4l2_plane planes[VIDEO_MAX_PLANES];
  struct v4l2_buffer raw;
  memset(planes, 0, sizeof planes);
  memset(&raw, 0, sizeof raw);
  raw.type = type;
  raw.memory = V4L2_MEMORY_MMAP;
  raw.index = buffer->index;
  if (cv4l2_is_multiplanar(type)) {
    raw.m.planes = planes;
    raw.length = VIDEO_MAX_PLANES;
  }
  int code = cv4l2_ioctl(descriptor, request, &raw);
  if (code != 0) return code;
  memset(buffer, 0, sizeof *buffer);
  buffer->index = raw.index;
  buffer->flags = raw.flags;
  buffer->sequence = raw.sequence;
  buffer->timestamp = raw.timestamp;
  if (cv4l2_is_multiplanar(type)) {
    buffer->planes = raw.length;
    cv4l2_read_planes(planes, buffer);
  } else {
    buffer->planes = 1;
    buffer->length[0] = raw.length;
    buffer->map_offset[0] = raw.m.offset;
    buffer->used[0] = raw.bytesused;
  }
  return 0;
}

static const unsigned long cv4l2_querycap = VIDIOC_QUERYCAP;
static const unsigned long cv4l2_enum_fmt = VIDIOC_ENUM_FMT;
static const unsigned long cv4l2_enum_framesizes = VIDIOC_ENUM_FRAMESIZES;
static const unsigned long cv4l2_enum_frameintervals = VIDIOC_ENUM_FRAMEINTERVALS;
static const unsigned long cv4l2_try_fmt = VIDIOC_TRY_FMT;
static const unsigned long cv4l2_s_fmt = VIDIOC_S_FMT;
static const unsigned long cv4l2_g_parm = VIDIOC_G_PARM;
static const unsigned long cv4l2_s_parm = VIDIOC_S_PARM;
static const unsigned long cv4l2_reqbufs = VIDIOC_REQBUFS;
static const unsigned long cv4l2_querybuf = VIDIOC_QUERYBUF;
static const unsigned long cv4l2_qbuf = VIDIOC_QBUF;
static const unsigned long cv4l2_dqbuf = VIDIOC_DQBUF;
static const unsigned long cv4l2_streamon = VIDIOC_STREAMON;
static const unsigned long cv4l2_streamoff = VIDIOC_STREAMOFF;

static const unsigned long cv4l2_enuminput = VIDIOC_ENUMINPUT;
static const unsigned long cv4l2_g_input = VIDIOC_G_INPUT;
static const unsigned long cv4l2_s_input = VIDIOC_S_INPUT;
static const unsigned long cv4l2_querystd = VIDIOC_QUERYSTD;
static const unsigned long cv4l2_s_std = VIDIOC_S_STD;
static const unsigned long cv4l2_s_ctrl = VIDIOC_S_CTRL;

static const uint64_t cv4l2_std_pal = V4L2_STD_PAL;
static const uint64_t cv4l2_std_ntsc = V4L2_STD_NTSC;
static const uint64_t cv4l2_std_secam = V4L2_STD_SECAM;
static const uint32_t cv4l2_power_line_frequency = V4L2_CID_POWER_LINE_FREQUENCY;

static const unsigned int cv4l2_pix_fmt_yuyv = V4L2_PIX_FMT_YUYV;
static const unsigned int cv4l2_pix_fmt_uyvy = V4L2_PIX_FMT_UYVY;
static const unsigned int cv4l2_pix_fmt_nv12 = V4L2_PIX_FMT_NV12;
static const unsigned int cv4l2_pix_fmt_nv21 = V4L2_PIX_FMT_NV21;
static const unsigned int cv4l2_pix_fmt_yu12 = V4L2_PIX_FMT_YUV420;
static const unsigned int cv4l2_pix_fmt_yv12 = V4L2_PIX_FMT_YVU420;
static const unsigned int cv4l2_pix_fmt_rgb24 = V4L2_PIX_FMT_RGB24;
static const unsigned int cv4l2_pix_fmt_bgr24 = V4L2_PIX_FMT_BGR24;
static const unsigned int cv4l2_pix_fmt_mjpeg = V4L2_PIX_FMT_MJPEG;
static const unsigned int cv4l2_pix_fmt_jpeg = V4L2_PIX_FMT_JPEG;
/* The same frames with each plane in memory of its own. */
static const unsigned int cv4l2_pix_fmt_nv12m = V4L2_PIX_FMT_NV12M;
static const unsigned int cv4l2_pix_fmt_nv21m = V4L2_PIX_FMT_NV21M;
static const unsigned int cv4l2_pix_fmt_yu12m = V4L2_PIX_FMT_YUV420M;
static const unsigned int cv4l2_pix_fmt_yv12m = V4L2_PIX_FMT_YVU420M;

static const unsigned int cv4l2_cap_video_capture = V4L2_CAP_VIDEO_CAPTURE;
static const unsigned int cv4l2_cap_video_capture_mplane = V4L2_CAP_VIDEO_CAPTURE_MPLANE;
static const unsigned int cv4l2_cap_video_output = V4L2_CAP_VIDEO_OUTPUT | V4L2_CAP_VIDEO_OUTPUT_MPLANE;
static const unsigned int cv4l2_cap_video_m2m = V4L2_CAP_VIDEO_M2M | V4L2_CAP_VIDEO_M2M_MPLANE;
static const unsigned int cv4l2_cap_meta = V4L2_CAP_META_CAPTURE | V4L2_CAP_META_OUTPUT;
static const unsigned int cv4l2_cap_touch = V4L2_CAP_TOUCH;
static const unsigned int cv4l2_cap_streaming = V4L2_CAP_STREAMING;
static const unsigned int cv4l2_cap_device_caps = V4L2_CAP_DEVICE_CAPS;
static const unsigned int cv4l2_cap_timeperframe = V4L2_CAP_TIMEPERFRAME;

static const unsigned int cv4l2_buf_flag_error = V4L2_BUF_FLAG_ERROR;
static const unsigned int cv4l2_buf_flag_timestamp_mask = V4L2_BUF_FLAG_TIMESTAMP_MASK;
static const unsigned int cv4l2_buf_flag_timestamp_monotonic = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;

#endif
