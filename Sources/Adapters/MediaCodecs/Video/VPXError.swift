internal import CVPX

/// A libvpx call failed.
public struct VPXError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The C function.
  public let call: String
  /// Its `vpx_codec_err_t`.
  public let code: Int32

  init(_ call: String, _ code: vpx_codec_err_t) {
    self.call = call
    self.code = Int32(code.rawValue)
  }

  public var description: String {
    "\(call): \(String(cString: vpx_codec_err_to_string(vpx_codec_err_t(rawValue: UInt32(code)))))"
  }

  static func check(_ code: vpx_codec_err_t, _ call: String) throws(VPXError) {
    guard code == VPX_CODEC_OK else { throw VPXError(call, code) }
  }
}
