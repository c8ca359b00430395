public import SystemSupport
public import Signalling

/// Archives for which something is still to be done, in the order in which they were added; also after a restart.
///
/// From any thread. Of more than ``limit`` the oldest are forgotten.
public final class OutstandingArchives: Sendable {
  public static let limit = 4_096

  public let path: String
  private let ids: Mutex<[ArchiveID]>
  /// What was wrong with the file; what it held that cannot be read is forgotten.
  public let fault: StateFault?

  /// Reads the list; what is damaged is kept under another name.
  ///
  /// - Parameter path: of the file that holds the list.
  public init(path: String) {
    self.path = path
    do {
      let octets = try PrivateFile.read(path, limit: Self.limit * 128)?.octets ?? []
      let (known, isWhole) = Self.read(octets)
      ids = Mutex(Array(known.suffix(Self.limit)))
      fault = isWhole ? nil : Self.fault(path, .damaged(keptAs: try? PrivateFile.setAside(path)))
    } catch {
      ids = Mutex([])
      // Its name is needed for the list that begins now, and it may be read again one day.
      let kept = try? PrivateFile.setAside(path)
      fault = Self.fault(path, kept.map { .damaged(keptAs: $0) } ?? .unreadable(error))
    }
  }

  /// The ids of a list, and whether it is one that was written whole: each line is ended.
  public static func read(_ octets: [UInt8]) -> (ids: [ArchiveID], isWhole: Bool) {
    var lines = String(decoding: octets, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    // What follows the last line's end is nothing, or half of a line.
    let isEnded = lines.removeLast().isEmpty
    let ids = lines.compactMap { ArchiveID(String($0)) }
    return (ids, isEnded && ids.count == lines.count)
  }

  private static func fault(_ path: String, _ kind: StateFault.Kind) -> StateFault {
    StateFault(path, kind, "for archives that stood in it alone nothing more is done")
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
