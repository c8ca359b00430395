import MediaCore
import RTP

/// The header extensions of an outgoing stream's packets: common values, and those known only when a packet
/// leaves.
struct OutgoingExtensions {
  var block: RTPHeaderExtensionBlock
  private let sendTime: SendTimeExtensions

  /// - Parameter block: with places for `sendTime`.
  init(_ block: RTPHeaderExtensionBlock, _ sendTime: SendTimeExtensions) {
    self.block = block
    self.sendTime = sendTime
  }

  /// Whether packets carry a transport-wide number.
  var isNumbering: Bool { sendTime.isNumbering }

  /// Writes the number and time of the packet that leaves next; returns that number, extended, if it carries one.
  @discardableResult
  mutating func stamp(for output: PacketOutput, now: MonotonicInstant) -> Int64? {
    let number = output.sendController.nextTransportNumber
    sendTime.write(to: &block, number: number, now: now)
    return isNumbering ? number : nil
  }
}
