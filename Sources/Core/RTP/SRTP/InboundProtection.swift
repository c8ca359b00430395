import MediaCore
public import TransportCrypto

/// Checks and opens what the peer sends, each packet once (RFC 3711 §3.3, §3.4).
public struct InboundProtection: ~Copyable {
  private struct Source {
    var index: PacketIndex
    var window = ReplayWindow()
  }

  private let rtp: any PacketTransform
  private let rtcp: any PacketTransform
  private var sources = SSRCStateTable<Source>(limit: 64)
  private var reports = SSRCStateTable<ReplayWindow>(limit: 64)

  /// The peer's transforms: with the keys of its direction.
  public init(rtp: any PacketTransform, rtcp: any PacketTransform) {
    self.rtp = rtp
    self.rtcp = rtcp
  }

  /// Opens the first `length` octets in place and returns the new length. A packet that is refused leaves no trace.
  public mutating func unprotectRTP(
    _ packet: inout MutableRawSpan, length: Int
  ) throws(PacketProtectionError) -> Int {
    guard length >= 0, length <= packet.byteCount else { throw .bufferTooSmall }
    let bounds = try RTPBounds(packet.bytes.extracting(first: length))
    guard length >= bounds.headerLength + rtp.tagLength else { throw .malformed }
    let position = sources.position(of: bounds.ssrc)
    let index = try admittedIndex(bounds.sequenceNumber, at: position)
    guard rtp.openRTP(&packet, header: bounds.headerLength, length: length, ssrc: bounds.ssrc, index: index) else {
      throw .authenticationFailed
    }
    note(index, bounds, at: position)
    return length - rtp.tagLength
  }

  private func admittedIndex(_ sequenceNumber: UInt16, at position: Int?) throws(PacketProtectionError) -> UInt64 {
    guard let position else { return UInt64(sequenceNumber) }
    guard let index = sources[position].index.estimate(sequenceNumber), sources[position].window.admits(index) else {
      throw .replayed
    }
    return index
  }

  private mutating func note(_ index: UInt64, _ bounds: RTPBounds, at position: Int?) {
    guard let position else {
      var source = Source(index: PacketIndex(first: bounds.sequenceNumber))
      source.window.note(index)
      return sources.insert(source, for: bounds.ssrc)
    }
    sources[position].index.note(index)
    sources[position].window.note(index)
    sources.noteUse(at: position)
  }

  /// Opens a compound of `length` octets in place and returns the new length (RFC 3711 §3.4). One that is refused leaves no trace.
  ///
  /// - Throws: `PacketProtectionError`, for compounds that are not encrypted as well.
  public mutating func unprotectRTCP(
    _ packet: inout MutableRawSpan, length: Int
  ) throws(PacketProtectionError) -> Int {
    guard length >= 0, length <= packet.byteCount else { throw .bufferTooSmall }
    let ssrc = try senderSSRC(packet.bytes.extracting(first: length))
    let trailer = rtcp.tagLength + SRTCPIndexWord.count
    guard length >= clearRTCPLength + trailer else { throw .malformed }
    let word = try indexWord(packet.bytes, at: rtcp.indexWordOffset(length: length))
    let position = reports.position(of: ssrc)
    if let position, !reports[position].admits(UInt64(word.index)) { throw .replayed }
    guard word.isEncrypted, rtcp.openRTCP(&packet, length: length, ssrc: ssrc, word: word) else {
      throw .authenticationFailed
    }
    noteReport(word, ssrc, at: position)
    return length - trailer
  }

  private func indexWord(_ packet: RawSpan, at offset: Int) throws(PacketProtectionError) -> SRTCPIndexWord {
    do throws(UnexpectedEnd) {
      var reader = ByteReader(packet.extracting(offset..<packet.byteCount))
      return SRTCPIndexWord(value: try reader.readUInt32())
    } catch {
      throw .malformed
    }
  }

  private mutating func noteReport(_ word: SRTCPIndexWord, _ ssrc: UInt32, at position: Int?) {
    guard let position else {
      var window = ReplayWindow()
      window.note(UInt64(word.index))
      return reports.insert(window, for: ssrc)
    }
    reports[position].note(UInt64(word.index))
    reports.noteUse(at: position)
  }
}
