import MediaCore
public import TransportCrypto
public import WebM

/// Walks over an evidence file record by record; bytes that are no record are skipped up to the next one.
///
/// Tolerates any bytes. Memory is bounded by the largest record; a search costs at most as much as reading the file twice.
public struct EvidenceReader {
  /// An element of the file.
  public enum Element: Sendable {
    /// A well-formed record; neither its signature nor its place in the chain is verified.
    case record(EvidenceRecord, end: UInt64)
    /// Bytes that are no record, up to the next one or to the end.
    case damage(offset: UInt64, byteCount: UInt64, EvidenceRecordError)
  }

  private let hashing: any SHA256Hashing
  private var offset: UInt64 = 0
  private var window: [UInt8] = []
  /// Candidates that a search may still examine; bounds the cost of hostile files.
  private var searchBudget = 4_096

  private static let windowByteCount = 64 * 1024

  /// Begins at the front of the file.
  public init(_ hashing: any SHA256Hashing) { self.hashing = hashing }

  /// The next element; nil at the end. Rethrows read errors.
  public mutating func next<Source: WebMSource & ~Copyable>(
    _ source: inout Source
  ) throws(Source.Failure) -> Element? {
    guard offset < source.byteCount else { return nil }
    let start = offset
    switch try record(&source, at: start) {
    case .success(let (record, byteCount)):
      offset = start + UInt64(byteCount)
      return .record(record, end: offset)
    case .failure(let error):
      offset = try search(&source, from: start + 1) ?? source.byteCount
      return .damage(offset: start, byteCount: offset - start, error)
    }
  }

  private mutating func record<Source: WebMSource & ~Copyable>(
    _ source: inout Source, at offset: UInt64
  ) throws(Source.Failure) -> Result<(EvidenceRecord, Int), EvidenceRecordError> {
    let count = try load(&source, at: offset, byteCount: EvidenceRecord.minimumByteCount)
    guard count == EvidenceRecord.minimumByteCount else { return .failure(.incomplete) }
    let byteCount: Int
    do throws(EvidenceRecordError) {
      byteCount = try withBytes(count) { (bytes) throws(EvidenceRecordError) in try EvidenceRecord.byteCount(at: bytes)
      }
    } catch {
      return .failure(error)
    }
    let loaded = try load(&source, at: offset, byteCount: byteCount)
    do throws(EvidenceRecordError) {
      let record = try withBytes(loaded) { (bytes) throws(EvidenceRecordError) in
        try EvidenceRecord(decoding: bytes, hashing)
      }
      return .success((record, byteCount))
    } catch {
      return .failure(error)
    }
  }

  /// Finds the next well-formed record.
  private mutating func search<Source: WebMSource & ~Copyable>(
    _ source: inout Source, from start: UInt64
  ) throws(Source.Failure) -> UInt64? {
    var position = start
    while position < source.byteCount, searchBudget > 0 {
      let count = try load(&source, at: position, byteCount: Self.windowByteCount)
      guard let distance = withBytes(count, { Self.firstMagic(in: $0) }) else {
        guard count == Self.windowByteCount else { return nil }
        position += UInt64(count - 3)
        continue
      }
      searchBudget -= 1
      let candidate = position + UInt64(distance)
      if case .success = try record(&source, at: candidate) { return candidate }
      position = candidate + 1
    }
    return nil
  }

  private static func firstMagic(in bytes: RawSpan) -> Int? {
    guard bytes.byteCount >= 4 else { return nil }
    return (0...bytes.byteCount - 4).first { offset in
      var reader = ByteReader(bytes.extracting(offset..<offset + 4))
      return (try? reader.readUInt32()) == EvidenceRecord.magic
    }
  }

  private mutating func load<Source: WebMSource & ~Copyable>(
    _ source: inout Source, at offset: UInt64, byteCount: Int
  ) throws(Source.Failure) -> Int {
    if window.count < byteCount { window = [UInt8](repeating: 0, count: byteCount) }
    return min(max(0, try source.read(at: offset, count: byteCount, into: &window)), byteCount)
  }

  private func withBytes<Result, Failure: Error>(
    _ count: Int, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(window.span.bytes.extracting(0..<count))
  }
}
