public import WebM

/// Something that an export had to leave out; `description` is a sentence.
public enum ExportProblem: Hashable, Sendable {
  case missingFile(String)
  case unreadableFile(String)
  case damage(String, WebMDamage)
}

extension ExportProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missingFile(let name): "\(name) is missing"
    case .unreadableFile(let name): "\(name) cannot be read: it is no WebM file with tracks"
    case .damage(let name, let damage):
      "\(name): \(damage.clusters) damaged clusters and \(damage.unreadableBytes) unreadable bytes were left out"
    }
  }
}
