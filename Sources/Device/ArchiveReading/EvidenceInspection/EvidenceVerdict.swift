import Archive
import Evidence
import OpenSSLCrypto
import SessionToken

/// The result of checking an archive's evidence, as the command line shows it.
public struct EvidenceVerdict: Encodable, Sendable {
  /// Something that is not as it should be.
  public struct Problem: Encodable, Sendable {
    public var file: String?
    /// Milliseconds from the archive's start.
    public var from: Int64?
    public var to: Int64?
    public var text: String
  }

  public struct TimeStamp: Encodable, Sendable {
    public var statement: UInt64
    /// Milliseconds since 1970; nil if it does not hold, or was not checked.
    public var time: Int64?
    public var problem: String?
  }

  /// The wall clock was set while it was recorded, or the device slept.
  public struct ClockStep: Encodable, Sendable {
    /// Milliseconds from the archive's start; it happened between the two.
    public var from: Int64
    public var to: Int64
    /// Milliseconds; negative where the clock was set back.
    public var span: Int64
  }

  /// `whole`, `cut`, `changed`, `foreign` or `missing`.
  public var verdict: String
  public var archiveID: String?
  /// The Ed25519 key, in base64url without padding.
  public var deviceKey: String?
  /// Whose key it is according to the hub; nil if that was not asked, or is unknown.
  public var deviceID: String?
  public var deviceTitle: String?
  /// Milliseconds since 1970 by the device's clock, and whether that was synchronised.
  public var startedAt: Int64?
  public var isClockSynchronized: Bool?
  /// Up to when all is as the device wrote it: milliseconds from the archive's start, and since 1970.
  public var validUntilOffset: Int64?
  public var validUntil: Int64?
  public var isRecovered = false
  public var clockSteps: [ClockStep] = []
  public var statements: UInt64 = 0
  public var problems: [Problem] = []
  public var timeStamps: [TimeStamp] = []
  /// What should be known besides.
  public var notes: [String] = []
  /// Whether a time stamp was asked for and none holds.
  public var lacksTimeStamp = false

  /// Verifies the archive in a folder.
  public static func folder(_ path: String, _ trust: EvidenceTrust) throws -> EvidenceVerdict {
    let crypto = OpenSSLCrypto()
    return try EvidenceVerdict(try EvidenceVerification.verify(folder: path, crypto, crypto), trust)
  }

  /// Checks a copy of the statements, without the files that they are about.
  public static func statements(_ path: String, _ trust: EvidenceTrust) throws -> EvidenceVerdict {
    let crypto = OpenSSLCrypto()
    var judgement = try EvidenceVerdict(
      try EvidenceVerification.statements(file: path, crypto, crypto), trust)
    judgement.notes.append("only the statements were checked: the files that they are about lie with the original")
    return judgement
  }

  /// Checks what lies beside an export: whether the export is the file that was made, of which original, and the
  /// original's statements. It cannot show that the export has the same content as the original.
  public static func export(_ path: String, _ trust: EvidenceTrust) throws -> EvidenceVerdict {
    var judgement = try statements(path, trust)
    guard let link = ExportedEvidence(besideStatements: path), path.hasSuffix(ExportedEvidence.suffix) else {
      judgement.notes.append("no \(path).json says of which export this goes")
      return judgement
    }
    let export = String(path.dropLast(ExportedEvidence.suffix.utf8.count))
    let (digest, byteCount) = try ExportedEvidence.digest(of: export, OpenSSLCrypto())
    if digest != link.exportSHA256 || byteCount != link.exportSize || link.archiveID != judgement.archiveID {
      judgement.verdict = EvidenceReport.Verdict.changed.rawValue
      judgement.problems.append(
        Problem(file: export, text: "is not the file that was made of archive \(link.archiveID)"))
    }
    judgement.notes.append("the export is not signed: compare it with the original, archive \(link.archiveID)")
    return judgement
  }

  init(_ report: EvidenceReport, _ trust: EvidenceTrust) throws {
    verdict = report.verdict.rawValue
    archiveID = report.archiveID
    deviceKey = report.deviceKey.map { Base64URL.encode($0) }
    startedAt = report.begin?.wallClock
    isClockSynchronized = report.begin?.isSynchronized
    validUntilOffset = report.validUntil?.offset
    validUntil = report.validUntil?.wallClock
    if case .recovered = report.ending { isRecovered = true }
    statements = report.statementCount
    clockSteps = report.clockSteps.map { ClockStep(from: $0.from.offset, to: $0.to.offset, span: $0.span) }
    problems = report.findings.map { Problem($0) }
    guard report.verdict != .missing else { return }
    noteOwner(KeyOwner(report, trust))
    if let file = trust.authorityFile { try noteTimeStamps(report, file) }
    notes += clockSteps.map(\.sentence)
    if isClockSynchronized == false { notes.append("the device's clock was not synchronised: its times may be wrong") }
  }

  private mutating func noteOwner(_ owner: KeyOwner) {
    switch owner {
    case .unknown: notes.append("whose key signed was not asked: give the hub's keys (--hub-key)")
    case .device(let certificate):
      deviceID = certificate.userID
      deviceTitle = certificate.title
    case .unidentified(let reason):
      verdict = EvidenceReport.Verdict.foreign.rawValue
      problems.insert(Problem(text: "the key is no device's of this hub: \(reason)"), at: 0)
    }
  }

  private mutating func noteTimeStamps(_ report: EvidenceReport, _ file: String) throws {
    for stamped in report.timeStamps {
      let judged = try VerifiedTimeStamp(stamped, authorityFile: file)
      timeStamps.append(
        TimeStamp(
          statement: judged.statement, time: judged.time.map { $0.multipliedReportingOverflow(by: 1_000).partialValue },
          problem: judged.reason))
    }
    lacksTimeStamp = !timeStamps.contains { $0.time != nil }
    if lacksTimeStamp { problems.append(Problem(text: "no time stamp holds by the authorities of \(file)")) }
  }
}

extension EvidenceVerdict.ClockStep {
  fileprivate var sentence: String {
    let seconds = Double(span.magnitude / 100) / 10
    let what = span < 0 ? "the wall clock was set back" : "the wall clock was set forward (or the device slept)"
    return "between \(from) and \(to) ms \(what) by \(seconds) s: times are those of the clock afterwards, and "
      + "the list may show those before"
  }
}
