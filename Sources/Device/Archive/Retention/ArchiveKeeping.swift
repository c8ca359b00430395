public import Signalling

/// What ``RetentionJob`` did, or could not do; `description` is a line for the log.
public enum ArchiveKeeping: Equatable, Sendable {
  case deleted(ArchiveID, byteCount: UInt64, ArchiveRetention.Reason)
  /// It is tried again the next time, and said again when the cause changes.
  case deletionFailed(ArchiveID, ArchiveError)
  /// Limits are exceeded, and no archive is left that may be deleted. Said once, until it changes.
  case exhausted(Set<ArchiveRetention.Reason>)
  /// That many files and folders are no archives; they are left alone. Reported when the number changes.
  case foreign(count: Int, example: String)
  /// The folder cannot be listed. Reported once, until the cause changes.
  case unreadable(ArchiveError)
}

extension ArchiveKeeping: CustomStringConvertible {
  public var description: String {
    switch self {
    case .deleted(let id, let byteCount, let reason):
      "archive \(id) was deleted, \(byteCount / 1_000_000) MB: \(reason.rawValue)"
    case .deletionFailed(let id, let error): "archive \(id) cannot be deleted: \(error)"
    case .exhausted(let reasons):
      "\(reasons.map(\.rawValue).sorted().joined(separator: "; ")), and no archive is left that may be deleted"
    case .foreign(let count, let example):
      "\(count) \(count == 1 ? "entry" : "entries") in the archives' folder are no archives and left alone, such as \(example)"
    case .unreadable(let error): "the archives' folder cannot be listed: \(error)"
    }
  }

  /// Whether an operator should act on it.
  public var isProblem: Bool {
    switch self {
    case .deleted, .foreign: false
    case .deletionFailed, .exhausted, .unreadable: true
    }
  }
}
