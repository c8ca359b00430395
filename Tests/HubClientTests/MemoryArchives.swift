import HubClient
import Signalling

/// Archives that exist in memory only; keys are `archiveID/file`.
struct MemoryArchives: ArchiveProviding {
  var files: [String: [UInt8]]

  func archiveList() async throws -> [UInt8] { Array(#"{"count":1}"#.utf8) }

  func archiveManifest(_ archiveID: ArchiveID) async throws -> [UInt8]? {
    files.keys.contains { $0.hasPrefix("\(archiveID)/") } ? Array(#"{"id":"\#(archiveID)"}"#.utf8) : nil
  }

  func openArchiveFile(_ archiveID: ArchiveID, name: String) async throws -> (any ArchiveFileReading)? {
    files["\(archiveID)/\(name)"].map { MemoryFile(bytes: $0) }
  }

  func openClip(
    _ archiveID: ArchiveID, of name: String, _ span: ArchiveSpan
  ) async throws(RequestRefusal) -> any ArchiveFileReading {
    guard let bytes = files["\(archiveID)/\(name)"] else { throw .notFound("there is no such file") }
    guard span.end <= bytes.count else { throw .notPossible("nothing was recorded then") }
    return MemoryFile(bytes: Array(bytes[Int(span.start)..<Int(span.end)]), fileName: "clip.webm")
  }

  func archiveThumbnail(_ archiveID: ArchiveID) async throws -> [UInt8]? { files["\(archiveID)/thumbnail"] }
}

struct MemoryFile: ArchiveFileReading {
  var bytes: [UInt8]
  var fileName: String?
  var size: Int64 { Int64(bytes.count) }
  var contentType: String { "video/webm" }

  func read(at offset: Int64, count: Int) async throws -> [UInt8] {
    let start = min(Int(offset), bytes.count)
    return Array(bytes[start..<min(start + count, bytes.count)])
  }
}
