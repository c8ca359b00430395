import Evidence
import TransportCrypto
import WebM

/// Digests of what lies on the disk, read through memory of fixed size.
struct EvidenceDigests {
  let hashing: any SHA256Hashing
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

  init(_ hashing: any SHA256Hashing) { self.hashing = hashing }

  /// The digest of bytes of a file, and how many of them there were.
  mutating func digest(
    of file: borrowing ArchiveFile, from offset: UInt64, byteCount: UInt64
  ) throws(ArchiveError) -> (digest: EvidenceDigest, byteCount: UInt64) {
    let hash = EvidenceHash(.content, hashing)
    var done: UInt64 = 0
    while done < byteCount {
      let wanted = Int(clamping: min(UInt64(buffer.count), byteCount - done))
      let (place, overflow) = offset.addingReportingOverflow(done)
      guard !overflow else { break }
      let got = try file.bytes(at: place, count: wanted, into: &buffer)
      guard got > 0 else { break }
      hash.update(buffer.span.extracting(0..<got).bytes)
      done += UInt64(got)
    }
    return (hash.finish(), done)
  }

  /// A file as a whole.
  mutating func document(
    _ name: String, as title: String? = nil, in folder: borrowing DirectoryHandle
  ) throws(ArchiveError) -> EvidenceDocument {
    let file = try ArchiveFile(name, in: folder)
    let (digest, byteCount) = try digest(of: file, from: 0, byteCount: file.byteCount)
    return EvidenceDocument(name: title ?? name, byteCount: byteCount, digest: digest)
  }

  /// What stands before a media file's first cluster, and the file's size.
  mutating func completion(
    of file: borrowing ArchiveFile, number: UInt16
  ) throws(ArchiveError) -> EvidenceCompletion {
    let size = file.byteCount
    let (digest, byteCount) = try digest(of: file, from: 0, byteCount: min(size, WebMLayout.firstClusterOffset))
    return EvidenceCompletion(
      file: number, byteCount: size, headerByteCount: UInt32(clamping: byteCount), digest: digest)
  }

  /// All files of an archive that are neither media nor about the archive's own administration; the manifest by the name
  /// that it has, or is about to get.
  mutating func documents(
    in folder: borrowing DirectoryHandle, manifest: String
  ) throws(ArchiveError) -> [EvidenceItem] {
    var items: [EvidenceItem] = [.document(try document(manifest, as: ArchiveFolder.manifestName, in: folder))]
    for name in try folder.names().filter(\.isEvidenceDocument).prefix(Self.maxDocuments) {
      do throws(ArchiveError) {
        items.append(.document(try document(name, in: folder)))
      } catch {
        // The device made no links, pipes and the like, and says nothing about them.
        guard error.isForeign else { throw error }
      }
    }
    return items
  }

  /// Of more files nothing is said.
  static let maxDocuments = 8_192
}

extension String {
  /// Whether evidence says something about a file of this name as a whole, the manifest aside.
  var isEvidenceDocument: Bool {
    isSafeFileName && !hasSuffix(".webm") && AdministrativeFile(rawValue: self) == nil
  }
}
