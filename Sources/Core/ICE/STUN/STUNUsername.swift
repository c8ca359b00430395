import MediaCore

/// A username fragment of ours, packed into one integer so that a table can be keyed by it without allocating.
///
/// We only ever make fragments of 4 to 8 ICE characters (RFC 8839 §5.4), so a longer one is not ours.
public struct UsernameFragment: Hashable, Sendable {
  private var packed: UInt64 = 0

  /// Returns nil unless the text has 1 to 8 octets.
  public init?(_ text: String) {
    guard (1...8).contains(text.utf8.count) else { return nil }
    packed = text.utf8.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads up to the colon of `local:remote`.
  init?(leading username: RawSpan) {
    var reader = ByteReader(username)
    while let byte = try? reader.readUInt8() {
      if byte == UInt8(ascii: ":") {
        guard packed != 0 else { return nil }
        return
      }
      guard packed >> 56 == 0, byte != 0 else { return nil }
      packed = packed << 8 | UInt64(byte)
    }
    return nil
  }
}

/// Finds whose first datagram this is: the receiver's username fragment in a connectivity check.
///
/// Costs a walk over the attributes; checks neither FINGERPRINT nor integrity. Returns nil for everything that is
/// not a Binding request with a `local:remote` username, so a server can drop anonymous without making state.
public func receiverFragment(of datagram: RawSpan) -> UsernameFragment? {
  guard isSTUN(datagram), let header = try? STUNHeader(datagram), header.messageClass == .request,
    header.method == .binding
  else { return nil }
  var offset = STUNHeader.size
  while offset < datagram.byteCount {
    guard let attribute = STUNAttribute(at: offset, in: datagram) else { return nil }
    if attribute.type == .username { return UsernameFragment(leading: datagram.extracting(attribute.value)) }
    offset = attribute.end
  }
  return nil
}
