public import MediaCore

/// What a peer sent through a TURN server.
public struct TURNData: Hashable, Sendable {
  /// Who sent it: an address as the TURN server sees it.
  public var peer: TransportAddress
  /// Where its octets lie in the message.
  public var octets: Range<Int>
}

extension TURNClient {
  /// Octets that ``wrap(_:count:for:)`` needs before the data: a Send indication to an IPv6 address.
  public static var headroom: Int { 48 }
  /// Octets that it needs after the data, for padding.
  public static var tailroom: Int { 3 }

  /// Makes `count` octets at ``headroom`` in the buffer into a message that has the server send them to the peer.
  ///
  /// - Returns: where the message lies in the buffer; nil while there is no allocation, or if it does not fit.
  public func wrap(_ buffer: inout MutableRawSpan, count: Int, for peer: TransportAddress) -> Range<Int>? {
    guard case .allocated = state else { return nil }
    if let number = peers.channel(to: peer) { return try? wrap(&buffer, ChannelData(channel: number, length: count)) }
    return try? wrap(&buffer, count: count, inIndicationFor: peer)
  }

  private func wrap(_ buffer: inout MutableRawSpan, _ data: ChannelData) throws(InsufficientSpace) -> Range<Int> {
    let end = Self.headroom + data.length + (isStream ? data.padding : 0)
    guard end <= buffer.byteCount else { throw InsufficientSpace() }
    let start = Self.headroom - ChannelData.headSize
    var head = ByteWriter(overwriting: &buffer, from: start, upTo: Self.headroom)
    try data.write(to: &head)
    var padding = ByteWriter(overwriting: &buffer, from: Self.headroom + data.length, upTo: end)
    while padding.remaining > 0 { try padding.write(UInt8(0)) }
    return start..<end
  }

  private func wrap(
    _ buffer: inout MutableRawSpan, count: Int, inIndicationFor peer: TransportAddress
  ) throws(InsufficientSpace) -> Range<Int> {
    // Header, XOR-PEER-ADDRESS and the head of DATA.
    let start = Self.headroom - (STUNHeader.size + (peer.isIPv6 ? 24 : 12) + STUNAttribute.headerSize)
    var message = buffer._mutatingExtracting(start..<buffer.byteCount)
    var writer = try STUNMessageWriter(.indication, .send, STUNTransactionID(crypto: crypto), to: &message)
    try writer.append(.xorPeerAddress, peer, to: &message)
    try writer.appendInPlace(.data, byteCount: count, to: &message)
    return start..<start + writer.count
  }

  /// Takes a message from the server: a datagram, or what a ``TURNDeframer`` cut out of a stream.
  ///
  /// - Returns: what a peer sent, if the message carries that; everything else is dealt with here.
  public mutating func receive(_ message: RawSpan, now: MonotonicInstant) -> TURNData? {
    if let data = ChannelData(head: message) { return receive(data, message) }
    guard let parsed = try? STUNMessage(message) else { return nil }
    switch parsed.header.messageClass {
    case .successResponse, .errorResponse: handleResponse(parsed, message, now: now)
    case .indication where parsed.header.method == .data && relayedAddress != nil:
      guard let peer = parsed.peerAddress, let octets = parsed.data else { return nil }
      return TURNData(peer: peer, octets: octets)
    case .indication, .request: break
    }
    return nil
  }

  private func receive(_ data: ChannelData, _ message: RawSpan) -> TURNData? {
    let octets = ChannelData.headSize..<ChannelData.headSize + data.length
    guard octets.upperBound <= message.byteCount, relayedAddress != nil, let peer = peers.peer(of: data.channel) else {
      return nil
    }
    return TURNData(peer: peer, octets: octets)
  }
}
