internal import COpus

/// A libopus call failed.
public struct OpusError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The C function or the control request.
  public let call: String
  /// Its negative result, for example `OPUS_BAD_ARG`.
  public let code: Int32

  public var description: String { "\(call): \(String(cString: opus_strerror(code)))" }

  /// Passes results from 0 on through.
  @discardableResult
  static func check(_ result: Int32, _ call: String) throws(OpusError) -> Int {
    guard result >= 0 else { throw OpusError(call: call, code: result) }
    return Int(result)
  }
}

/// Number of interleaved channels; RTP carries no other (RFC 7587).
public enum OpusChannels: Int, Sendable, Hashable {
  case mono = 1
  case stereo = 2
}

/// Opus always runs at this rate on the wire's clock (RFC 7587 §4.1).
public let opusSampleRate = 48_000
