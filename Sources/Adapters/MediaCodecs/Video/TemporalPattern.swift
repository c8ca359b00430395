internal import CVPX

/// The repeating assignment of frames to VP8 temporal layers, and which buffers each may use.
///
/// One layer leaves references to the encoder. Two alternate 0 1; three repeat 0 2 1 2. The base refers only to
/// the base; layer 1 of three also keeps its frame as golden, for the layer 2 frame after it. Frames of the
/// highest layer are referred to by none.
struct TemporalPattern {
  let layers: Int

  struct Position {
    var layer: UInt8
    /// Refers to the base only.
    var isLayerSync = false
    var isDiscardable: Bool
    var flags: vpx_enc_frame_flags_t
  }

  /// Frames after which it repeats.
  var period: Int { layers == 3 ? 4 : layers }

  init(layers: Int) {
    precondition((1...3).contains(layers))
    self.layers = layers
  }

  /// - Parameters:
  ///   - index: frames since the last key frame, which has index 0.
  ///   - hasMiddle: a frame of layer 1 was encoded since the last one of the base.
  func position(_ index: Int, hasMiddle: Bool) -> Position {
    let onlyLast = cvpx_no_reference_golden | cvpx_no_reference_altref
    let noUpdate =
      cvpx_no_update_last | cvpx_no_update_golden | cvpx_no_update_altref | cvpx_no_update_entropy
    let base = Position(
      layer: 0, isDiscardable: false, flags: onlyLast | cvpx_no_update_golden | cvpx_no_update_altref)
    switch (layers, index % period) {
    case (1, _): return Position(layer: 0, isDiscardable: false, flags: 0)
    case (_, 0): return base
    case (2, _): return Position(layer: 1, isLayerSync: true, isDiscardable: true, flags: onlyLast | noUpdate)
    case (_, 2):
      let flags = onlyLast | cvpx_no_update_last | cvpx_no_update_altref | cvpx_no_update_entropy
      return Position(layer: 1, isLayerSync: true, isDiscardable: false, flags: flags)
    case (_, 1): return Position(layer: 2, isLayerSync: true, isDiscardable: true, flags: onlyLast | noUpdate)
    case _ where hasMiddle: return Position(layer: 2, isDiscardable: true, flags: cvpx_no_reference_altref | noUpdate)
    default: return Position(layer: 2, isLayerSync: true, isDiscardable: true, flags: onlyLast | noUpdate)
    }
  }

  func apply(to configuration: inout vpx_codec_enc_cfg_t) {
    guard layers > 1 else { return }
    configuration.ts_number_layers = UInt32(layers)
    configuration.ts_periodicity = UInt32(period)
    let isThree = layers == 3
    configuration.ts_rate_decimator.0 = isThree ? 4 : 2
    configuration.ts_rate_decimator.1 = isThree ? 2 : 1
    configuration.ts_rate_decimator.2 = isThree ? 1 : 0
    configuration.ts_layer_id.0 = 0
    configuration.ts_layer_id.1 = isThree ? 2 : 1
    configuration.ts_layer_id.2 = isThree ? 1 : 0
    configuration.ts_layer_id.3 = isThree ? 2 : 0
  }

  /// Of the rate, what the base layer has.
  var basePercent: Int { layers == 1 ? 100 : layers == 2 ? 60 : 40 }

  /// Sets the cumulative rate of each layer: 60 % for the base of two; 40 and 60 % of three.
  func setRates(total: UInt32, in configuration: inout vpx_codec_enc_cfg_t) {
    guard layers > 1 else { return }
    configuration.ts_target_bitrate.0 = total * UInt32(basePercent) / 100
    configuration.ts_target_bitrate.1 = layers == 3 ? total * 60 / 100 : total
    configuration.ts_target_bitrate.2 = layers == 3 ? total : 0
  }
}
