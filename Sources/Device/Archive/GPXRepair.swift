import Glibc

/// Makes a track well-formed that a power cut may have torn.
enum GPXRepair {
  private static let windowByteCount = 64 * 1024

  /// Whether the track is one of ours, or none at all.
  static func isOurs(in folder: borrowing DirectoryHandle) throws(ArchiveError) -> Bool {
    do {
      var file = try ArchiveFile(GPXTrack.fileName, in: folder, isOurs: true)
      return try isOurs(&file)
    } catch {
      guard error.isMissing || error.isForeign else { throw error }
      return error.isMissing
    }
  }

  /// Cuts a torn end off and closes the document; removes a file of ours without a whole point, and leaves those of others
  /// alone. Harmless to repeat.
  static func repair(in folder: borrowing DirectoryHandle) throws(ArchiveError) {
    var file: ArchiveFile
    do {
      file = try ArchiveFile(GPXTrack.fileName, in: folder, isWritable: true)
    } catch {
      guard error.isMissing || error.isForeign else { throw error }
      return
    }
    guard try isOurs(&file) else { return }
    let end = try wholeEnd(&file)
    guard end > UInt64(GPXTrack.head.utf8.count) else { return try folder.removeFile(GPXTrack.fileName) }
    let tail = Array(GPXTrack.tail.utf8)
    guard try read(&file, at: end, count: tail.count + 1) != tail else { return }
    try file.write(tail.span.bytes, at: end)
    try file.truncate(to: end + UInt64(tail.count))
  }

  /// Whether it begins as ours do, as far as it goes, or is blank.
  private static func isOurs(_ file: inout ArchiveFile) throws(ArchiveError) -> Bool {
    let head = Array(GPXTrack.head.utf8)
    if head.starts(with: try read(&file, at: 0, count: head.count)) { return true }
    return try file.isBlank
  }

  /// Where the last whole point's line ends; 0 if the head is torn.
  private static func wholeEnd(_ file: inout ArchiveFile) throws(ArchiveError) -> UInt64 {
    let head = Array(GPXTrack.head.utf8)
    guard try read(&file, at: 0, count: head.count) == head else { return 0 }
    var end = UInt64(head.count)
    while true {
      let whole = GPXTrack.wholeByteCount(try read(&file, at: end, count: windowByteCount))
      guard whole > 0 else { return end }
      end += UInt64(whole)
    }
  }

  private static func read(_ file: inout ArchiveFile, at offset: UInt64, count: Int) throws(ArchiveError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = try file.read(at: offset, count: count, into: &bytes)
    return Array(bytes.prefix(got))
  }
}
