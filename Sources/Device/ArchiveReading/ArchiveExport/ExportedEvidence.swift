import Archive
import FoundationEssentials
import Glibc
import Signalling
public import TransportCrypto

/// What goes with an export of an archive that has evidence: a copy of the statements, and which file was made of which archive.
///
/// `out.webm` gets `out.webm.evidence`, byte for byte the original's, and `out.webm.evidence.json`. The latter is not signed: who can
/// write it can write another. It says which original to ask for; the original's own files prove what the device saw.
public struct ExportedEvidence: Codable, Hashable, Sendable {
  public static let suffix = ".evidence"
  public static let linkSuffix = ".evidence.json"
  private static let longestLink = 16_384

  /// The archive that was exported.
  public var archiveID: String
  /// SHA-256 of the export, in hexadecimal digits.
  public var exportSHA256: String
  public var exportSize: UInt64
  /// The digest of the original's last statement at that time, in hexadecimal digits.
  public var originalHead: String

  /// Reads what lies beside a copy of statements; nil if there is nothing that can be read.
  public init?(besideStatements path: String) {
    guard let file = fopen(path + ".json", "re") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: Self.longestLink + 1)
    let count = fread(&bytes, 1, bytes.count, file)
    guard count <= Self.longestLink, let link = try? JSONDecoder().decode(Self.self, from: Data(bytes[..<count])) else {
      return nil
    }
    self = link
  }

  /// Writes both files beside an export. Harmless without evidence.
  static func write(
    for remuxer: ArchiveRemuxer, export path: String, replaces: Bool, _ hashing: any SHA256Hashing,
    _ verifier: any SignatureVerifying
  ) throws {
    guard let original = try remuxer.openEvidence() else { return }
    let copy = try ExportFile(path: path + suffix, replaces: replaces)
    var offset: UInt64 = 0
    while case let bytes = try original.read(at: offset, count: 1 << 20), !bytes.isEmpty {
      try copy.append(bytes.span.bytes)
      offset += UInt64(bytes.count)
    }
    try copy.commit()
    let report = try EvidenceVerification.statements(file: path + suffix, hashing, verifier)
    let (digest, size) = try Self.digest(of: path, hashing)
    let link = ExportedEvidence(
      archiveID: remuxer.manifest.id.text, exportSHA256: digest, exportSize: size,
      originalHead: hexadecimal(report.head ?? []))
    try link.store(at: path + linkSuffix, replaces: replaces)
  }

  private init(archiveID: String, exportSHA256: String, exportSize: UInt64, originalHead: String) {
    self.archiveID = archiveID
    self.exportSHA256 = exportSHA256
    self.exportSize = exportSize
    self.originalHead = originalHead
  }

  private func store(at path: String, replaces: Bool) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let bytes = [UInt8](try encoder.encode(self)) + [UInt8(ascii: "\n")]
    let file = try ExportFile(path: path, replaces: replaces)
    try file.append(bytes.span.bytes)
    try file.commit()
  }
}

extension ExportedEvidence {
  /// A file's SHA-256 in hexadecimal digits, and its size.
  public static func digest(
    of path: String, _ hashing: any SHA256Hashing
  ) throws(ExportError) -> (digest: String, byteCount: UInt64) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(path: path, errno: errno) }
    defer { close(descriptor) }
    let hash = hashing.makeSHA256()
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var total: UInt64 = 0
    while true {
      let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .system(path: path, errno: errno) }
      if count == 0 { return (hexadecimal(hash.finish()), total) }
      hash.update(buffer.span.extracting(0..<count).bytes)
      total += UInt64(count)
    }
  }

  /// Octets as hexadecimal digits.
  public static func hexadecimal(_ octets: [UInt8]) -> String {
    octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
