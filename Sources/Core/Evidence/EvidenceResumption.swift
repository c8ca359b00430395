public import TransportCrypto

/// Where a chain that a power cut, a crash or the daemon's end interrupted can continue, and what is proven up to
/// there.
///
/// Follows the links between statements and verifies the signature of the last one alone, so that it costs little for long
/// chains: it is the device's own file. What others may have changed, ``EvidenceAudit`` finds.
public struct EvidenceResumption {
  /// What follows the last valid statement: nothing, if the file is whole.
  public private(set) var chain: EvidenceChain?
  /// Where the next record goes; nothing valid follows.
  public private(set) var end: UInt64 = 0
  public private(set) var deviceKey: [UInt8]?
  public private(set) var files: [String: EvidenceFile] = [:]
  /// Where the bytes end that a power cut cannot have kept from the disk, and their time, by the file's number.
  public private(set) var settled: [UInt16: EvidenceRange] = [:]
  /// The last statement that is no attachment.
  public private(set) var lastKind: EvidenceStatement.Kind?
  public private(set) var documents: [String: EvidenceDocument] = [:]
  /// Statements that end a recording, or change it later, and have no time stamp yet.
  public private(set) var unstamped: [UInt64: EvidenceDigest] = [:]
  public private(set) var certificates: [String] = []
  private var last: EvidenceRecord?
  private var isBroken = false
  /// Ranges of the last statement while it was recorded: they become settled with the next one.
  private var unsettled: [EvidenceRange] = []

  private static let limit = 4_096
  /// Files have numbers of 16 bits.
  private static let maxFiles = 65_535

  /// Has seen nothing yet.
  public init() {}

  /// Takes the next element of the file; what follows the first that is not sound is of no matter.
  public mutating func take(_ element: EvidenceReader.Element) {
    guard !isBroken, case .record(let record, let end) = element, follows(record) else {
      isBroken = true
      return
    }
    last = record
    self.end = end
    chain = EvidenceChain(after: record)
    note(record)
  }

  /// Whether the last statement was signed by the key that the chain names.
  public func isSigned(by publicKey: [UInt8], _ verifier: any SignatureVerifying) -> Bool {
    deviceKey == publicKey && last?.isSigned(by: publicKey, verifier) == true
  }

  private func follows(_ record: EvidenceRecord) -> Bool {
    guard let chain else { return record.number == 0 && record.previous == .none }
    return record.number == chain.nextNumber && record.previous == chain.head
  }

  private mutating func note(_ record: EvidenceRecord) {
    let kind = record.statement.kind
    if kind != .attachment { lastKind = kind }
    if kind == .opening || kind == .progress || kind == .conclusion { settle() }
    if kind == .conclusion || kind == .recovery || kind == .amendment { unstamped[record.number] = record.digest }
    if unstamped.count > Self.limit { unstamped.removeAll() }
    for item in record.statement.items { note(item) }
  }

  private mutating func settle() {
    for range in unsettled where range.end >= settled[range.file]?.end ?? 0 { settled[range.file] = range }
    unsettled = []
  }

  private mutating func note(_ item: EvidenceItem) {
    switch item {
    case .deviceKey(let key): deviceKey = deviceKey ?? key
    case .file(let file): if files.count < Self.maxFiles { files[file.name] = file }
    case .range(let range): if unsettled.count < Self.limit { unsettled.append(range) }
    case .document(let document): if documents.count < Self.limit { documents[document.name] = document }
    case .timeStamp(let stamp): unstamped[stamp.statement] = nil
    case .certificate(let text): if certificates.count < Self.limit { certificates.append(text) }
    case .archive, .completed, .found: break
    }
  }
}
