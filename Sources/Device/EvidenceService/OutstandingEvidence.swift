import Locking
import PrivateFiles
import Signalling

/// Archives whose evidence still lacks what others have to confirm, in the order in which they ended; also after a restart.
///
/// From any thread. Of more than ``limit`` the oldest are forgotten: their recordings are proven without it.
final class OutstandingEvidence: Sendable {
  static let limit = 4_096

  private let path: String
  private let ids: Mutex<[ArchiveID]>

  init(path: String) {
    self.path = path
    let file = (try? PrivateFile.read(path, limit: Self.limit * 128)) ?? nil
    let text = String(decoding: file?.octets ?? [], as: UTF8.self)
    ids = Mutex(text.split(separator: "\n").suffix(Self.limit).compactMap { ArchiveID(String($0)) })
  }

  var all: [ArchiveID] { ids.withLock { $0 } }

  /// Waits for nothing; ``save()`` puts it on the disk.
  func add(_ id: ArchiveID) {
    ids.withLock { ids in
      guard !ids.contains(id) else { return }
      ids.append(id)
      if ids.count > Self.limit { ids.removeFirst() }
    }
  }

  func remove(_ id: ArchiveID) { ids.withLock { $0.removeAll { $0 == id } } }

  /// Writes the list down, and waits for the disk.
  func save() throws {
    try PrivateFile.replace(path, with: Array(all.map { $0.text + "\n" }.joined().utf8))
  }
}
