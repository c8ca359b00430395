import Signalling

/// The order in which archives came, which does not depend on the clock.
///
/// A device whose clock starts in 1970 at each boot would otherwise take its newest archives for its oldest. Whatever is
/// seen for the first time is younger than all that was seen before; among those, the manifests' times decide, and at
/// last the ids. Kept in the file `order` in the archives' folder, one id a line; without it the times decide.
struct ArchiveLedger: Sendable {
  /// The file's content. Kept as one block, where texts of their own would lie all over the heap.
  private var text: [UInt8] = []

  var ids: [ArchiveID] {
    text.split(separator: UInt8(ascii: "\n")).compactMap { ArchiveID(String(decoding: $0, as: UTF8.self)) }
  }

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
    text = Array(bytes.prefix(count))
    var seen: Set<ArchiveID> = []
    text = Self.text(ids.filter { seen.insert($0).inserted })
  }

  init(ids: [ArchiveID]) { text = Self.text(ids) }

  private static func text(_ ids: [ArchiveID]) -> [UInt8] { Array(ids.map { $0.text + "\n" }.joined().utf8) }

  /// Takes note of the archives that are there now.
  ///
  /// - Parameter present: with the milliseconds since 1970 at which they say they began.
  mutating func note(_ present: [ArchiveID: Int64]) {
    let ids = self.ids
    let known = Set(ids)
    let new = present.filter { !known.contains($0.key) }.sorted { ($0.value, $0.key.text) < ($1.value, $1.key.text) }
    let kept = ids.filter { present[$0] != nil }
    guard !new.isEmpty || kept.count != ids.count else { return }
    hasChanged = true
    text = Self.text(kept + new.map(\.key))
  }

  /// Writes the file, if need be. A failure does no harm before the next start, so it is tried again with the next change.
  mutating func store(root: String) {
    guard hasChanged, let folder = try? DirectoryHandle(path: root) else { return }
    try? folder.removeFile(Self.temporaryName)
    do {
      var file = try ArchiveFile(creating: Self.temporaryName, in: folder)
      try file.append(text.span.bytes)
      try folder.rename(Self.temporaryName, to: Self.fileName)
      try folder.sync()
      hasChanged = false
    } catch {
      try? folder.removeFile(Self.temporaryName)
    }
  }
}
