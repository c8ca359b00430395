/* Video4Linux: ioctl numbers and FourCC codes are macros that compute; here they are constants. */
#ifndef LIVESESSIONS_CV4L2_H
#define LIVESESSIONS_CV4L2_H

#include <errno.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>

/* Repeats an ioctl that a signal interrupted; returns 0 or the errno. */
static inline int cv4l2_ioctl(int descriptor, unsigned long request, void *argument) {
  int result;
  do {
    result = ioctl(descriptor, request, argument);
  } while (result == -1 && errno == EINTR);
  return result == -1 ? errno : 0;
}

static const unsigned long cv4l2_querycap = VIDIOC_QUERYCAP;
static const unsigned long cv4l2_enum_fmt = VIDIOC_ENUM_FMT;
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

static const unsigned int cv4l2_cap_video_capture = V4L2_CAP_VIDEO_CAPTURE;
static const unsigned int cv4l2_cap_streaming = V4L2_CAP_STREAMING;
static const unsigned int cv4l2_cap_device_caps = V4L2_CAP_DEVICE_CAPS;
static const unsigned int cv4l2_cap_timeperframe = V4L2_CAP_TIMEPERFRAME;

static const unsigned int cv4l2_buf_flag_error = V4L2_BUF_FLAG_ERROR;
static const unsigned int cv4l2_buf_flag_timestamp_mask = V4L2_BUF_FLAG_TIMESTAMP_MASK;
static const unsigned int cv4l2_buf_flag_timestamp_monotonic = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
static const unsigned int cv4l2_buf_flag_tstamp_src_mask = V4L2_BUF_FLAG_TSTAMP_SRC_MASK;

#endif
