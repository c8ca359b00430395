import MediaCore
import RTP

/// The header extensions of a stream whose values are known only when a packet leaves.
struct SendTimeExtensions {
  var transportSequenceID: UInt8?
  var absoluteSendTimeID: UInt8?

  var isNumbering: Bool { transportSequenceID != nil }

  /// Makes places for them in the block of the stream.
  func reserve(in extensions: inout RTPHeaderExtensionBlock) {
    write(to: &extensions, number: 0, now: MonotonicInstant(nanoseconds: 0))
  }

  /// Writes the number and time of the packet that leaves next.
  ///
  /// - Parameter number: extended.
  func write(to extensions: inout RTPHeaderExtensionBlock, number: Int64, now: MonotonicInstant) {
    if let id = absoluteSendTimeID { extensions.set(id, to: AbsoluteSendTime(now).rawValue, byteCount: 3) }
    if let id = transportSequenceID {
      extensions.set(id, to: UInt32(SequenceNumber(extended: number).rawValue), byteCount: 2)
    }
  }
}
