import Locking
import PrivateFiles
public import Signalling

/// Archives for which something is still to be done, in the order in which they were added; also after a restart.
///
/// From any thread. Of more than ``limit`` the oldest are forgotten.
public final class OutstandingArchives: Sendable {
  public static let limit = 4_096

  public let path: String
  private let ids: Mutex<[ArchiveID]>

  /// - Parameter path: of the file that holds the list.
  public init(path: String) {
    self.path = path
    let file = (try? PrivateFile.read(path, limit: Self.limit * 128)) ?? nil
    let text = String(decoding: file?.octets ?? [], as: UTF8.self)
    ids = Mutex(text.split(separator: "\n").suffix(Self.limit).compactMap { ArchiveID(String($0)) })
  }

  public var all: [ArchiveID] { ids.withLock { $0 } }

  /// Waits for nothing; ``save()`` puts it on the disk.
  public func add(_ id: ArchiveID) {
    ids.withLock { ids in
      guard !ids.contains(id) else { return }
      ids.append(id)
      if ids.count > Self.limit { ids.removeFirst() }
    }
  }

  public func remove(_ id: ArchiveID) { ids.withLock { $0.removeAll { $0 == id } } }

  /// Writes the list down, and waits for the disk.
  public func save() throws {
    try PrivateFile.replace(path, with: Array(all.map { $0.text + "\n" }.joined().utf8))
  }
}
