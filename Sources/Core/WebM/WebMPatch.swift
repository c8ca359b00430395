/// Bytes to be overwritten in a file. Patches of a list depend on each other: each must be on the disk
/// before the next is written.
public struct WebMPatch: Hashable, Sendable {
  /// Octets from the start of the file.
  public var offset: UInt64
  /// The octets that replace as many there.
  public var bytes: [UInt8]
}

extension WebMPatch {
  /// What finishes a file: its seek points become visible, then its size and duration.
  ///
  /// - Parameter hasOldCues: the file may have been finished before (a repair that was cut short): its Cues are
  ///   hidden before they are overwritten.
  static func finishing(
    _ header: WebMHeader, cues: CueTable, fileByteCount: UInt64, durationMilliseconds: Int64, hasOldCues: Bool = false
  ) -> [WebMPatch] {
    var header = header
    header.completion = .init(
      fileByteCount: fileByteCount, durationMilliseconds: durationMilliseconds, hasCues: !cues.points.isEmpty)
    let cuesOffset = UInt64(WebMLayout.cuesOffset)
    let voidHeader = Array(CueTable.encodeReservation().prefix(9))
    var patches: [WebMPatch] = []
    if hasOldCues { patches.append(WebMPatch(offset: cuesOffset, bytes: voidHeader)) }
    if !cues.points.isEmpty {
      patches.append(WebMPatch(offset: cuesOffset + UInt64(CueTable.headerByteCount), bytes: cues.encodeBody()))
      patches.append(WebMPatch(offset: cuesOffset, bytes: cues.encodeHeader()))
    }
    patches.append(WebMPatch(offset: 0, bytes: header.encode()))
    return patches
  }

  /// Makes bytes that are no element the content of a Void, so that players go past them; `nil` if there is no space
  /// for its header.
  static func hidingGap(at offset: UInt64, byteCount: UInt64) -> WebMPatch? {
    guard byteCount >= 2 else { return nil }
    let width = byteCount < 9 ? 1 : 8
    var writer = EBMLWriter(capacity: 9)
    writer.write(.void)
    writer.writeSize(Int(clamping: byteCount) - 1 - width, width: width)
    return WebMPatch(offset: offset, bytes: writer.bytes)
  }
}
