public import Signalling

/// Where the answers to archive requests come from.
///
/// File names have passed a strict check before they arrive here: letters, digits, `-`, `_`, and single dots that do not
/// come first.
public protocol ArchiveProviding: Sendable {
  /// The list of all archives, as JSON.
  func archiveList() async throws -> [UInt8]
  /// The manifest of one archive, as JSON; `nil` if there is no such archive.
  func archiveManifest(_ archiveID: ArchiveID) async throws -> [UInt8]?
  /// Opens one file of an archive; `nil` if there is no such file.
  func openArchiveFile(_ archiveID: ArchiveID, name: String) async throws -> (any ArchiveFileReading)?
  /// Makes a part of a file's stream that plays as a file of its own.
  func openClip(
    _ archiveID: ArchiveID, of name: String, _ span: ArchiveSpan
  ) async throws(RequestRefusal) -> any ArchiveFileReading
  /// A small JPEG of what an archive shows; nil if there is no such archive, or nothing to be seen in it.
  func archiveThumbnail(_ archiveID: ArchiveID) async throws -> [UInt8]?
}

/// An open file of an archive; closes itself when it is released.
public protocol ArchiveFileReading: Sendable {
  /// Bytes, as of the opening; a file that still grows is answered up to here.
  var size: Int64 { get }
  /// For example `video/webm`.
  var contentType: String { get }
  /// What a copy of it is to be called: letters, digits, `-`, `_` and `.` alone; nil for nothing in particular.
  var fileName: String? { get }
  /// Reads at most `count` bytes; fewer or none only at the end of the file.
  func read(at offset: Int64, count: Int) async throws -> [UInt8]
}
