import Signalling

/// The order in which archives came, which does not depend on the clock.
///
/// A device whose clock starts in 1970 at each boot would otherwise take its newest archives for its oldest. Whatever is
/// seen for the first time is younger than all that was seen before; among those, the manifests' times decide, and at
/// last the ids. Kept in the file `order` in the archives' folder, one id a line; without it the times decide.
struct ArchiveLedger: Sendable {
  private(set) var ids: [ArchiveID] = []
  /// Whether the file has to be written.
  private(set) var hasChanged = false

  static let fileName = "order"
  private static let temporaryName = "order.tmp"
  private static let longest = 16 * 1024 * 1024

  /// Reads what an earlier run has noted; anything unreadable counts as nothing.
  init(root: String) {
    guard let folder = try? DirectoryHandle(path: root), var file = try? ArchiveFile(Self.fileName, in: folder),
      file.byteCount <= UInt64(Self.longest)
    else { return }
    var bytes = [UInt8](repeating: 0, count: Int(file.byteCount))
    guard let count = try? file.read(at: 0, count: bytes.count, into: &bytes) else { return }
    let lines = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n")
    var seen: Set<ArchiveID> = []
    ids = lines.compactMap { ArchiveID(String($0)) }.filter { seen.insert($0).inserted }
  }

  init(ids: [ArchiveID]) { self.ids = ids }

  /// Takes note of the archives that are there now.
  ///
  /// - Parameter present: with the milliseconds since 1970 at which they say they began.
  mutating func note(_ present: [ArchiveID: Int64]) {
    let known = Set(ids)
    let new = present.filter { !known.contains($0.key) }.sorted { ($0.value, $0.key.text) < ($1.value, $1.key.text) }
    let kept = ids.filter { present[$0] != nil }
    hasChanged = hasChanged || !new.isEmpty || kept.count != ids.count
    ids = kept + new.map(\.key)
  }

  /// Writes the file, if need be. A failure does no harm before the next start, so it is tried again with the next change.
  mutating func store(root: String) {
    guard hasChanged, let folder = try? DirectoryHandle(path: root) else { return }
    let bytes = Array(ids.map { $0.text + "\n" }.joined().utf8)
    try? folder.removeFile(Self.temporaryName)
    do {
      var file = try ArchiveFile(creating: Self.temporaryName, in: folder)
      try file.append(bytes.span.bytes)
      try folder.rename(Self.temporaryName, to: Self.fileName)
      try folder.sync()
      hasChanged = false
    } catch {
      try? folder.removeFile(Self.temporaryName)
    }
  }
}
