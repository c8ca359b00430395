/// What a protection profile does to single packets, in place: its cipher and its authentication.
///
/// The buffers have space for the tag, and for SRTCP's index word, past the given length; the caller has checked that.
/// Each method returns false when the cipher refuses or the packet is not authentic.
public protocol PacketTransform: AnyObject {
  /// Octets by which authentication lengthens a packet.
  var tagLength: Int { get }

  /// Encrypts `packet[header..<length]` and appends the tag.
  func sealRTP(_ packet: inout MutableRawSpan, header: Int, length: Int, ssrc: UInt32, index: UInt64) -> Bool

  /// Checks and decrypts a packet whose `length` includes the tag.
  func openRTP(_ packet: inout MutableRawSpan, header: Int, length: Int, ssrc: UInt32, index: UInt64) -> Bool

  /// Encrypts all but the first 8 octets and appends tag and index word in the profile's order.
  func sealRTCP(_ packet: inout MutableRawSpan, length: Int, ssrc: UInt32, index: UInt32) -> Bool

  /// Checks and decrypts a packet whose `length` includes tag and index word.
  func openRTCP(_ packet: inout MutableRawSpan, length: Int, ssrc: UInt32, word: SRTCPIndexWord) -> Bool

  /// Where the index word of a packet of this length begins.
  func indexWordOffset(length: Int) -> Int
}
