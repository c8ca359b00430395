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
}

struct MemoryFile: ArchiveFileReading {
  var bytes: [UInt8]
  var size: Int64 { Int64(bytes.count) }
  var contentType: String { "video/webm" }

  func read(at offset: Int64, count: Int) async throws -> [UInt8] {
    let start = min(Int(offset), bytes.count)
    return Array(bytes[start..<min(start + count, bytes.count)])
  }
}
