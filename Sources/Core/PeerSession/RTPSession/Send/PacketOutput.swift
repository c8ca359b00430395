import CongestionControl
import MediaCore
import TransportCrypto

/// Sends the packets of a session, and accounts for sent and permitted octets.
///
/// Confined to the session's thread.
final class PacketOutput {
  /// Path MTU of 1,200 as WebRTC assumes.
  static let maximumPacket = 1_200

  private let datagrams: DatagramOutput
  private(set) var packetCount: UInt64 = 0
  /// Including protection.
  private(set) var byteCount: UInt64 = 0
  var sendController: SendController

  init(_ datagrams: DatagramOutput, sendController: consuming SendController) {
    self.datagrams = datagrams
    self.sendController = sendController
  }

  /// Whether packets would leave.
  var isOpen: Bool { datagrams.isOpen }

  /// Lets `write` fill the buffer with an RTP packet (nil: there is none), protects and sends it.
  ///
  /// - Parameters:
  ///   - isNumbered: the packet carries ``SendController/nextTransportNumber``.
  ///   - probe: the id of the probe that the packet is part of, or 0.
  /// - Returns: the packet's length before protection, or nil when nothing was written.
  func sendRTP(
    isNumbered: Bool, probe: UInt16 = 0, now: MonotonicInstant,
    _ write: (inout MutableRawSpan) throws(InsufficientSpace) -> Int?
  ) -> Int? {
    let sent = datagrams.sendProtected(write) { (protection, buffer, length) throws(PacketProtectionError) in
      try protection.protectRTP(&buffer, length: length)
    }
    guard let sent else { return nil }
    count(sent.protectedLength)
    sendController.note(sent.length, isNumbered: isNumbered, probe: probe, now: now)
    return sent.length
  }

  /// As ``sendRTP(isNumbered:probe:now:_:)`` for a compound RTCP packet, which is neither numbered nor paced.
  func sendRTCP(_ write: (inout MutableRawSpan) throws(InsufficientSpace) -> Int?) {
    let sent = datagrams.sendProtected(write) { (protection, buffer, length) throws(PacketProtectionError) in
      try protection.protectRTCP(&buffer, length: length)
    }
    if let sent { count(sent.protectedLength) }
  }

  private func count(_ octets: Int) {
    packetCount += 1
    byteCount += UInt64(octets)
  }
}
