public import WebM

/// Something that an export had to leave out; `description` is a sentence.
public enum ExportProblem: Hashable, Sendable {
  case missingFile(String)
  case unreadableFile(String)
  /// It is not opened, or the disk does not give all of it.
  case unusableFile(String, reason: String)
  case damage(String, WebMDamage)
}

extension ExportProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missingFile(let name): "\(name) is missing"
    case .unreadableFile(let name): "\(name) cannot be read: it is no WebM file with tracks"
    case .unusableFile(let name, let reason): reason.hasPrefix(name) ? reason : "\(name): \(reason)"
    case .damage(let name, let damage):
      "\(name): \(damage.clusters) damaged clusters and \(damage.unreadableBytes) unreadable bytes were left out"
    }
  }
}

extension ExportProblem {
  /// Why a file, or the rest of it, is left out; the others are exported all the same.
  init(_ name: String, _ error: ArchiveError) {
    self = error.isMissing ? .missingFile(name) : .unusableFile(name, reason: error.description)
  }
}
