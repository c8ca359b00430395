import MediaCore
public import TransportCrypto

/// Something about the statements themselves that is not as the device left it.
public enum EvidenceFault: Hashable, Sendable {
  /// The file does not begin with the device's first statement.
  case noOpening
  /// There are stray bytes between two statements, or a statement is not what the device signed.
  case changed(EvidenceGap)
  /// Statements were removed.
  case missing(EvidenceGap)
  /// A statement is in another's place.
  case outOfOrder(EvidenceGap)
  /// Bytes behind the last whole statement, as a power cut leaves them.
  case tornTail(byteCount: UInt64)
  /// A statement of a later format.
  case otherVersion(UInt8)
}

/// Where in the recording something about its statements is wrong: milliseconds of the monotonic clock of the sound
/// statements around it; nil where there is none.
public struct EvidenceGap: Hashable, Sendable {
  public var after: Int64?
  public var before: Int64?
}

/// The wall clock was set between two statements, or the device was suspended, during which the monotonic clock stands still.
public struct EvidenceClockStep: Hashable, Sendable {
  /// Milliseconds of the monotonic clock.
  public var after: Int64
  public var before: Int64
  /// Milliseconds; negative where the clock was set back.
  public var span: Int64

  /// Smaller ones are clocks that are slewed, and statements that were interrupted between reading the two.
  private static let smallest: Int64 = 1_000

  /// Nil where both clocks advanced together, and where the kernel had not called the wall clock synchronised before.
  init?(from first: EvidenceTime, to second: EvidenceTime) {
    (after, before) = (first.monotonic, second.monotonic)
    let wall = second.wallClock.saturatingSubtracting(first.wallClock)
    span = wall.saturatingSubtracting(second.monotonic.saturatingSubtracting(first.monotonic))
    guard first.isSynchronized, span >= Self.smallest || span <= -Self.smallest else { return nil }
  }
}

/// Bytes that a statement proves.
public struct ProvenRange: Hashable, Sendable {
  public var range: EvidenceRange
  /// The number of the statement.
  public var statement: UInt64
}

/// Determines what can be trusted of an evidence file: takes its elements in order, and keeps the valid statements.
///
/// A statement is sound when the key of the first one signed it; whose key that is, others have to say. What a sound
/// statement says stands also where one before it was changed.
public struct EvidenceAudit {
  /// How the recording ended, as far as is known.
  public enum Ending: Hashable, Sendable {
    case none
    case concluded(EvidenceTime)
    case recovered(EvidenceTime)
  }

  public private(set) var faults: [EvidenceFault] = []
  public private(set) var archiveID: String?
  /// 32 octets; nil without an opening.
  public private(set) var deviceKey: [UInt8]?
  public private(set) var certificates: [String] = []
  public private(set) var timeStamps: [StampedStatement] = []
  public private(set) var files: [UInt16: EvidenceFile] = [:]
  public private(set) var ranges: [ProvenRange] = []
  public private(set) var completions: [UInt16: EvidenceCompletion] = [:]
  /// What files as a whole were said to be, by their name: after an amendment in more than one way.
  public private(set) var documents: [String: [EvidenceDocument]] = [:]
  /// What the last recovery found without earlier proof.
  public private(set) var found: [EvidenceRange] = []
  public private(set) var ending = Ending.none
  public private(set) var opening: EvidenceTime?
  /// The last time at which the wall clock was synchronised, else the first time that was stated.
  public private(set) var clock: EvidenceTime?
  /// Where the wall clock was set while it was recorded, as far as the two clocks of the statements reveal it.
  public private(set) var clockSteps: [EvidenceClockStep] = []
  private var lastReading: EvidenceTime?
  public private(set) var statementCount: UInt64 = 0
  /// The last statement while it was recorded: only what this one states can have been lost to a power cut.
  public private(set) var lastRecording: UInt64?
  /// The number and the digest of the last sound statement: they stand for all before.
  public var head: (number: UInt64, digest: EvidenceDigest)? { tail.head }
  private var tail = ChainTail()
  private let hashing: any SHA256Hashing
  private let verifier: any SignatureVerifying

  /// A time stamp, and the digest that it has to be about.
  public struct StampedStatement: Hashable, Sendable {
    public var stamp: EvidenceTimeStamp
    /// Nil if the statement is not there.
    public var digest: EvidenceDigest?
  }

  /// More are counted neither in memory nor in reports.
  private static let faultLimit = 64
  private static let attachmentLimit = 64

  /// Has seen nothing yet.
  public init(_ hashing: any SHA256Hashing, _ verifier: any SignatureVerifying) {
    self.hashing = hashing
    self.verifier = verifier
  }

  /// Takes the next element of the file.
  public mutating func take(_ element: EvidenceReader.Element) {
    switch element {
    case .damage(_, let byteCount, let error):
      if opening == nil, case .otherVersion(let version) = error { add(.otherVersion(version)) }
      tail.noteDamage(byteCount)
    case .record(let record, _): take(record)
    }
  }

  /// The file has ended.
  public mutating func finish() {
    if opening == nil { add(.noOpening) }
    if let damage = tail.damage {
      add(damage.isStatement ? .changed(tail.gap(before: nil)) : .tornTail(byteCount: damage.byteCount))
    }
  }

  private mutating func add(_ fault: EvidenceFault) {
    if faults.count < Self.faultLimit, !faults.contains(fault) { faults.append(fault) }
  }
}

extension EvidenceAudit {
  private mutating func take(_ record: EvidenceRecord) {
    if deviceKey == nil, record.number == 0 { takeOpening(record) }
    guard let deviceKey, record.isSigned(by: deviceKey, verifier) else { return tail.noteChanged(record) }
    if let fault = tail.fault(before: record) { add(fault) }
    tail.noteSound(record)
    statementCount += 1
    noteKind(record)
    for item in record.statement.items { apply(item, record) }
  }

  private mutating func takeOpening(_ record: EvidenceRecord) {
    guard record.statement.kind == .opening, record.previous == .none else { return }
    for case .deviceKey(let key) in record.statement.items where record.isSigned(by: key, verifier) {
      deviceKey = key
      opening = record.statement.time
    }
  }

  private mutating func noteClock(_ time: EvidenceTime) {
    if clock == nil || time.isSynchronized { clock = time }
    if let step = lastReading.flatMap({ EvidenceClockStep(from: $0, to: time) }), clockSteps.count < Self.faultLimit {
      clockSteps.append(step)
    }
    lastReading = time
  }

  private mutating func noteKind(_ record: EvidenceRecord) {
    switch record.statement.kind {
    case .opening, .progress:
      lastRecording = record.number
      noteClock(record.statement.time)
    case .conclusion:
      ending = .concluded(record.statement.time)
      noteClock(record.statement.time)
    case .recovery:
      ending = .recovered(record.statement.time)
      found = []
    case .amendment, .attachment: break
    }
  }

  private mutating func apply(_ item: EvidenceItem, _ record: EvidenceRecord) {
    switch item {
    case .archive(let id): archiveID = archiveID ?? id
    case .deviceKey: break
    case .certificate(let text): if certificates.count < Self.attachmentLimit { certificates.append(text) }
    case .file(let file): files[file.number] = files[file.number] ?? file
    case .range(let range): ranges.append(ProvenRange(range: range, statement: record.number))
    case .completed(let completion): completions[completion.file] = completion
    case .document(let document):
      if documents[document.name]?.count ?? 0 < Self.attachmentLimit {
        documents[document.name, default: []].append(document)
      }
    case .found(let range): found.append(range)
    case .timeStamp(let stamp):
      guard timeStamps.count < Self.attachmentLimit else { return }
      timeStamps.append(StampedStatement(stamp: stamp, digest: tail.stampable[stamp.statement]))
    }
  }
}

/// The chain's end, and what followed its last valid statement.
private struct ChainTail {
  struct Damage {
    var byteCount: UInt64
    /// One of the damaged places has the form of a statement.
    var isStatement: Bool
  }

  private(set) var damage: Damage?
  /// Digests of the statements that authorities stamp: those that end a recording.
  private(set) var stampable: [UInt64: EvidenceDigest] = [:]
  private var last: (number: UInt64, digest: EvidenceDigest, time: EvidenceTime)?

  private static let stampableLimit = 256

  var head: (number: UInt64, digest: EvidenceDigest)? { last.map { ($0.number, $0.digest) } }

  mutating func noteDamage(_ byteCount: UInt64) {
    let before = damage ?? Damage(byteCount: 0, isStatement: false)
    damage = Damage(
      byteCount: before.byteCount.addingReportingOverflow(byteCount).partialValue, isStatement: before.isStatement)
  }

  mutating func noteChanged(_ record: EvidenceRecord) {
    damage = Damage(byteCount: damage?.byteCount ?? 0, isStatement: true)
  }

  mutating func noteSound(_ record: EvidenceRecord) {
    damage = nil
    last = (record.number, record.digest, record.statement.time)
    switch record.statement.kind {
    case .conclusion, .recovery, .amendment:
      if stampable.count < Self.stampableLimit { stampable[record.number] = record.digest }
    case .opening, .progress, .attachment: break
    }
  }

  /// The fault between the last valid statement and this one, if any.
  func fault(before record: EvidenceRecord) -> EvidenceFault? {
    let gap = gap(before: record.statement.time)
    if damage != nil { return .changed(gap) }
    guard let last else { return record.number == 0 ? nil : .missing(gap) }
    if record.number == last.number.addingReportingOverflow(1).partialValue {
      return record.previous == last.digest ? nil : .changed(gap)
    }
    return record.number > last.number ? .missing(gap) : .outOfOrder(gap)
  }

  func gap(before time: EvidenceTime?) -> EvidenceGap {
    EvidenceGap(after: last?.time.monotonic, before: time?.monotonic)
  }
}
