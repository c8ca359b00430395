import Glibc

/// Makes a track well-formed that a power cut may have torn.
enum GPXRepair {
  private static let windowByteCount = 64 * 1024

  /// Cuts a torn end off and closes the document; removes a file without a whole point. Harmless to repeat.
  static func repair(in folder: borrowing DirectoryHandle) throws(ArchiveError) {
    var file: ArchiveFile
    do {
      file = try ArchiveFile(GPXTrack.fileName, in: folder, isWritable: true)
    } catch {
      guard error.errno == ENOENT else { throw error }
      return
    }
    let end = try wholeEnd(&file)
    guard end > UInt64(GPXTrack.head.utf8.count) else { return try folder.removeFile(GPXTrack.fileName) }
    let tail = Array(GPXTrack.tail.utf8)
    guard try read(&file, at: end, count: tail.count + 1) != tail else { return }
    try file.write(tail.span.bytes, at: end)
    try file.truncate(to: end + UInt64(tail.count))
  }

  /// Where the last whole point's line ends; 0 if the head is not ours.
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
