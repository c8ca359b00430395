import Archive
import Dispatch
import ObjectStorage
import TransportCrypto

/// The bytes of an object that is to be sent; any of them can be had at any time, and are the same each time.
protocol UploadContent: Sendable {
  var byteCount: UInt64 { get }
  /// Fewer at the end; blocks.
  func read(at offset: UInt64, count: Int) throws -> [UInt8]
}

extension ArchiveFileReader: UploadContent {}

/// An object on its way to a store.
struct UploadObject: Sendable {
  /// Where it goes, below the configured place.
  var key: String
  var contentType: String
  var content: any UploadContent
}

/// Reads files away from the threads that tasks share.
enum UploadDisk {
  private static let queue = DispatchQueue(label: "livesessions.upload", qos: .utility)

  static func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Swift.Result(catching: work)) }
    }
  }
}

extension UploadContent {
  private static var chunkSize: Int { 65_536 }

  /// The SHA-256 digest of a stretch.
  func digest(
    from offset: UInt64, byteCount: UInt64, _ hashing: any SHA256Hashing
  ) async throws -> [UInt8] {
    try await UploadDisk.run {
      let hash = hashing.makeSHA256()
      var (at, rest) = (offset, byteCount)
      while rest > 0 {
        let bytes = try read(at: at, count: Int(clamping: min(rest, UInt64(Self.chunkSize))))
        guard !bytes.isEmpty else { throw UploadFailure.changed }
        hash.update(bytes.span.bytes)
        at += UInt64(bytes.count)
        rest -= UInt64(bytes.count)
      }
      return hash.finish()
    }
  }
}
