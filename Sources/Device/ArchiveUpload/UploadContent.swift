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
  /// A stretch is held in memory for its MD5 digest: parts of files of more than 600 GB are larger.
  private static var largestForMD5: UInt64 { 64 * 1_048_576 }

  /// What goes with a stretch besides its SHA-256 digest.
  func checksum(
    _ kind: PayloadChecksum.Kind, from offset: UInt64, byteCount: UInt64, _ hashing: any UploadHashing
  ) async throws -> PayloadChecksum {
    switch kind {
    case .sha256: .sha256
    case .none: .none
    case .md5: .md5(try await md5(from: offset, byteCount: byteCount, hashing))
    }
  }

  private func md5(from offset: UInt64, byteCount: UInt64, _ hashing: any UploadHashing) async throws -> [UInt8] {
    guard byteCount <= Self.largestForMD5 else { throw UploadFailure.tooLarge(byteCount) }
    return try await UploadDisk.run {
      var bytes: [UInt8] = []
      while UInt64(bytes.count) < byteCount {
        let more = try read(at: offset + UInt64(bytes.count), count: Int(byteCount) - bytes.count)
        guard !more.isEmpty else { throw UploadFailure.changed }
        bytes += more
      }
      var digest = [UInt8](repeating: 0, count: 16)
      var span = digest.mutableSpan
      var output = span.mutableBytes
      hashing.md5(bytes.span.bytes, into: &output)
      return digest
    }
  }

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
