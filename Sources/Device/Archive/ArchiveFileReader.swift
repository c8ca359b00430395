/// One file of an archive that is being handed out: opened once, read from any thread.
public final class ArchiveFileReader: Sendable {
  /// As it was when the file was opened.
  public let byteCount: UInt64
  /// For HTTP.
  public let contentType: String
  private let file: ArchiveFile

  private static let largestRead = 1_048_576

  init(_ name: String, in folder: borrowing DirectoryHandle) throws(ArchiveError) {
    let file = try ArchiveFile(name, in: folder, isOurs: true)
    byteCount = file.byteCount
    self.file = file
    contentType = name.hasSuffix(".webm") ? "video/webm" : "application/json"
  }

  /// Reads bytes; fewer at the file's end, at most a mebibyte. Blocks.
  public func read(at offset: UInt64, count: Int) throws(ArchiveError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: min(max(0, count), Self.largestRead))
    let got = try file.bytes(at: offset, into: &bytes)
    if got < bytes.count { bytes.removeLast(bytes.count - got) }
    return bytes
  }
}
