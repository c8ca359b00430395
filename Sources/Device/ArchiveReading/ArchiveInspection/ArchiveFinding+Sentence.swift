import Archive
import WebM

extension ArchiveFinding {
  /// The finding as people read it.
  var sentence: String {
    switch self {
    case .unfinished: "the recording was not finished, or is still in progress"
    case .missingFile(let name): "\(name) is missing"
    case .unlistedFile(let name): "\(name) is not in the manifest"
    case .foreignFile(let name): "\(name) is none of the recorder's files and is left alone"
    case .replacedFile(_, let reason): reason
    case .wrongSize(let name, let listed, let actual):
      "\(name) has \(actual) bytes where the manifest says \(listed)"
    case .media(let name, let finding): "\(name): \(finding.sentence)"
    }
  }
}

extension WebMFinding {
  fileprivate var sentence: String {
    switch self {
    case .headerUnreadable: "the header cannot be read"
    case .tornTail(let offset, let byteCount): "\(byteCount) bytes after byte \(offset) are torn"
    case .clusterDamaged(let offset): "the cluster at byte \(offset) is damaged"
    case .gap(let offset, let byteCount): "\(byteCount) bytes at byte \(offset) are no media"
    case .unfinished: "duration and index are missing or wrong"
    }
  }
}
