public import Evidence

/// What an archive's evidence proves of its files.
public struct EvidenceReport: Sendable {
  public enum Verdict: String, Sendable, CaseIterable {
    /// All files are as the device left them when the recording ended.
    case whole
    /// The recording was interrupted; up to a moment all is as the device wrote it.
    case cut
    /// Something was changed, taken away or added.
    case changed
    /// The evidence belongs to another archive, or its key to another device.
    case foreign
    /// There is no evidence.
    case missing
  }

  public var verdict: Verdict
  public var findings: [EvidenceFinding] = []
  public var archiveID: String?
  /// The 32 octets of the Ed25519 key with which the device signed.
  public var deviceKey: [UInt8]?
  /// The hub's statements about the key's owner, as stored: not verified.
  public var certificates: [String] = []
  /// Answers of time-stamping authorities with the digests that they have to be about: not verified.
  public var timeStamps: [EvidenceAudit.StampedStatement] = []
  public var statementCount: UInt64 = 0
  /// When the recording's first statement was made.
  public var begin: EvidenceMoment?
  /// Up to when what is there is as the device wrote it.
  public var validUntil: EvidenceMoment?
  public var ending = EvidenceAudit.Ending.none
  /// Where the wall clock was set while it was recorded.
  public var clockSteps: [EvidenceTimeStep] = []
  /// The 32 octets of the last sound statement's digest, which stands for all before.
  public var head: [UInt8]?
}

/// A moment of a recording.
public struct EvidenceMoment: Hashable, Sendable {
  /// Milliseconds from the archive's start.
  public var offset: Int64
  /// Milliseconds since 1970 by the device's clock.
  public var wallClock: Int64
  /// Whether that clock was synchronised.
  public var isSynchronized: Bool
}

/// The wall clock was set, or the device slept, between two moments of a recording.
public struct EvidenceTimeStep: Hashable, Sendable {
  public var from: EvidenceMoment
  public var to: EvidenceMoment
  /// Milliseconds by which the wall clock advanced more than the monotonic clock.
  public var span: Int64
}

/// A stretch of a recording.
public struct EvidenceStretch: Hashable, Sendable {
  public var from: EvidenceMoment
  public var to: EvidenceMoment
}

/// Something noteworthy in the evidence besides that all is well.
public enum EvidenceFinding: Hashable, Sendable {
  /// Statements are not as the device left them, between two moments.
  case statements(EvidenceFault, from: EvidenceMoment?, to: EvidenceMoment?)
  /// The evidence is about the archive of this id.
  case otherArchive(String)
  /// The manifest calls the recording complete, and the evidence does not say so.
  case unconcluded
  /// Bytes are not what the device wrote.
  case changed(String, EvidenceStretch)
  /// Bytes are what the device wrote in another place.
  case moved(String, EvidenceStretch, from: String, EvidenceStretch)
  /// What stands before the first cluster was changed: duration, index, what tracks there are.
  case header(String)
  /// The file as a whole is not what it was.
  case document(String)
  case missingFile(String)
  /// A link, a pipe or the like is in the place of a file.
  case replacedFile(String)
  /// Only the device made files here, and it did not make this one.
  case addedFile(String)
  /// The file ends before what was written.
  case truncated(String, EvidenceStretch)
  /// The file continues behind what was written.
  case extended(String, byteCount: UInt64)
  /// The last statement's bytes did not reach the disk before the power went.
  case lost(String, EvidenceStretch)
  /// Bytes behind the last statement, which came too late for one.
  case unproven(String, byteCount: UInt64)
  /// The device recovered the archive; this stretch was there and had no proof.
  case recovered(String, EvidenceStretch)

  /// Whether a power cut alone does not explain it.
  var isChange: Bool {
    switch self {
    case .statements(.tornTail, from: _, to: _): false
    case .statements(.noOpening, from: _, to: _), .statements(.changed, from: _, to: _),
      .statements(.missing, from: _, to: _), .statements(.outOfOrder, from: _, to: _),
      .statements(.otherVersion, from: _, to: _):
      true
    case .lost, .unproven, .recovered: false
    case .otherArchive, .unconcluded, .changed, .moved, .header, .document, .missingFile, .replacedFile, .addedFile,
      .truncated, .extended:
      true
    }
  }
}
