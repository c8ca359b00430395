/* libvpx: macros and variadic calls that Swift cannot import, as inline functions. */
#ifndef LIVESESSIONS_CVPX_H
#define LIVESESSIONS_CVPX_H

#include <vpx/vp8cx.h>
#include <vpx/vp8dx.h>
#include <vpx/vpx_decoder.h>
#include <vpx/vpx_encoder.h>

#include "untouched.h"

static inline vpx_codec_err_t cvpx_vp8_encoder_defaults(vpx_codec_enc_cfg_t *configuration) {
  return vpx_codec_enc_config_default(vpx_codec_vp8_cx(), configuration, 0);
}

static inline vpx_codec_err_t cvpx_vp8_encoder_init(vpx_codec_ctx_t *context,
                                                    const vpx_codec_enc_cfg_t *configuration) {
  return vpx_codec_enc_init(context, vpx_codec_vp8_cx(), configuration, 0);
}

static inline vpx_codec_err_t cvpx_vp8_decoder_init(vpx_codec_ctx_t *context) {
  return vpx_codec_dec_init(context, vpx_codec_vp8_dx(), 0, 0);
}

/* Every control that this project sets takes one int. */
static inline vpx_codec_err_t cvpx_control(vpx_codec_ctx_t *context, int control, int value) {
  return vpx_codec_control_(context, control, value);
}

/* Only the macroblocks whose byte in `map` is not 0 are encoded, until the next call; a null map has all of them encoded.
   libvpx copies the map. */
static inline vpx_codec_err_t cvpx_set_active_map(vpx_codec_ctx_t *context, const unsigned char *map,
                                                  unsigned int rows, unsigned int columns) {
  vpx_active_map_t active = {(unsigned char *)map, rows, columns};
  return vpx_codec_control(context, VP8E_SET_ACTIVEMAP, &active);
}

/* The quantizer index of the last frame, 0 to 63. */
static inline vpx_codec_err_t cvpx_last_quantizer(vpx_codec_ctx_t *context, int *quantizer) {
  return vpx_codec_control(context, VP8E_GET_LAST_QUANTIZER_64, quantizer);
}

static inline vpx_codec_err_t cvpx_encode_realtime(vpx_codec_ctx_t *context, const vpx_image_t *image,
                                                   vpx_codec_pts_t timestamp, unsigned long duration,
                                                   vpx_enc_frame_flags_t flags) {
  return vpx_codec_encode(context, image, timestamp, duration, flags, VPX_DL_REALTIME);
}

static const vpx_enc_frame_flags_t cvpx_force_key_frame = VPX_EFLAG_FORCE_KF;
static const vpx_enc_frame_flags_t cvpx_no_reference_golden = VP8_EFLAG_NO_REF_GF;
static const vpx_enc_frame_flags_t cvpx_no_reference_altref = VP8_EFLAG_NO_REF_ARF;
static const vpx_enc_frame_flags_t cvpx_no_update_last = VP8_EFLAG_NO_UPD_LAST;
static const vpx_enc_frame_flags_t cvpx_no_update_golden = VP8_EFLAG_NO_UPD_GF;
static const vpx_enc_frame_flags_t cvpx_no_update_altref = VP8_EFLAG_NO_UPD_ARF;
static const vpx_enc_frame_flags_t cvpx_no_update_entropy = VP8_EFLAG_NO_UPD_ENTROPY;

static const vpx_codec_frame_flags_t cvpx_frame_is_key = VPX_FRAME_IS_KEY;
static const vpx_codec_frame_flags_t cvpx_frame_is_droppable = VPX_FRAME_IS_DROPPABLE;

#endif
