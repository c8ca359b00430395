import Archive
import FoundationEssentials
import Glibc
import HubClient

/// Hands archives to the hub's askers: list, manifests and files, read on threads of their own.
struct ArchiveShelf: ArchiveProviding {
  let store: ArchiveStore

  /// Newer archives than this are listed; a page shows no more at once.
  private static let listLimit = 200

  func archiveList() async throws -> [UInt8] {
    try await BlockingWork.run {
      let manifests = try store.list(limit: Self.listLimit)
      let encoder = JSONEncoder()
      encoder.outputFormatting = .withoutEscapingSlashes
      return Array(try encoder.encode(ArchiveList(count: manifests.count, items: manifests)))
    }
  }

  func archiveManifest(_ archiveID: String) async throws -> [UInt8]? {
    guard let id = ArchiveID(archiveID) else { return nil }
    return try await BlockingWork.run { Array(try store.manifest(id).json()) }
  }

  func openArchiveFile(_ archiveID: String, name: String) async throws -> (any ArchiveFileReading)? {
    guard let id = ArchiveID(archiveID) else { return nil }
    return try await BlockingWork.run { try ShelfFile(path: store.path(id, file: name)) }
  }
}

/// The list of archives, as OpenTok's REST API shapes it.
private struct ArchiveList: Encodable {
  var count: Int
  var items: [ArchiveManifest]
}

/// One open file of an archive.
final class ShelfFile: ArchiveFileReading {
  let size: Int64
  let contentType: String
  private let descriptor: CInt

  init(path: String) throws {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ShelfFileError(path: path, errno: errno) }
    var status = stat()
    fstat(descriptor, &status)
    size = Int64(status.st_size)
    contentType = path.hasSuffix(".webm") ? "video/webm" : "application/json"
  }

  deinit { close(descriptor) }

  func read(at offset: Int64, count: Int) async throws -> [UInt8] {
    try await BlockingWork.run { [descriptor] in
      try [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
        let result = pread(descriptor, buffer.baseAddress, count, off_t(offset))
        guard result >= 0 else { throw ShelfFileError(path: "archive file", errno: errno) }
        length = result
      }
    }
  }
}

/// A file of an archive could not be opened or read.
struct ShelfFileError: Error, CustomStringConvertible {
  let path: String
  let errno: Int32

  var description: String { "\(path): \(String(cString: strerror(errno)))" }
}
