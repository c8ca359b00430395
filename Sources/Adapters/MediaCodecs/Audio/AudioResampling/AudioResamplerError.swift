internal import CSpeexDSP

/// libspeexdsp refused to make a resampler.
public struct AudioResamplerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The C function.
  public let call: String
  /// Its result, for example `RESAMPLER_ERR_ALLOC_FAILED`.
  public let code: Int32

  public var description: String { "\(call): \(String(cString: speex_resampler_strerror(code)))" }
}
