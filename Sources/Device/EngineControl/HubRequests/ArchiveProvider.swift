public import Archive
import FoundationEssentials
public import HubClient
import RealtimeRuntime
public import Signalling

/// Hands archives to the hub's askers: list, manifests and files, read on threads of their own.
public struct ArchiveProvider: ArchiveProviding {
  let store: ArchiveStore

  public init(store: ArchiveStore) { self.store = store }

  /// Newer archives than this are listed; a page shows no more at once.
  private static let listLimit = 200

  public func archiveList() async throws -> [UInt8] {
    try await BlockingWork.run(.archives) {
      let manifests = try store.list(limit: Self.listLimit)
      let total = manifests.count < Self.listLimit ? manifests.count : try store.ids().count
      let encoder = JSONEncoder()
      encoder.outputFormatting = .withoutEscapingSlashes
      return Array(try encoder.encode(ArchiveList(count: total, items: manifests)))
    }
  }

  public func archiveManifest(_ id: ArchiveID) async throws -> [UInt8]? {
    try await BlockingWork.run(.archives) { try Self.found { Array(try store.manifest(id).json()) } }
  }

  public func openArchiveFile(_ id: ArchiveID, name: String) async throws -> (any ArchiveFileReading)? {
    try await BlockingWork.run(.recordings) {
      try Self.found { ProvidedFile(file: try store.openFile(id, name: name)) }
    }
  }

  /// Nil for an invalid or unknown name: the requester's mistake, not a failure of this device.
  private static func found<Value>(_ body: () throws -> Value) throws -> Value? {
    do {
      return try body()
    } catch ArchiveError.notFound, ArchiveError.invalidName {
      return nil
    }
  }
}

/// One open file of an archive.
private struct ProvidedFile: ArchiveFileReading {
  let file: ArchiveFileReader

  var size: Int64 { Int64(clamping: file.byteCount) }
  var contentType: String { file.contentType }

  func read(at offset: Int64, count: Int) async throws -> [UInt8] {
    try await BlockingWork.run(.recordings) { [file] in try file.read(at: UInt64(clamping: offset), count: count) }
  }
}
