import Signalling

/// The order in which archives came, which does not depend on the clock.
///
/// A device whose clock starts in 1970 at each boot would otherwise take its newest archives for its oldest. Whatever is
/// seen for the first time is younger than all that was seen before; among those, the manifests' times decide, and at
/// last the ids. Kept in the file `order` in the archives' folder, one id a line; without it the times decide.
///
/// Behind an id stands when the archive ended, if that was within this boot: seconds since the machine booted, which no one
/// sets. The line `- <boot's id>` comes first then.
struct ArchiveLedger: Sendable {
  private struct Entry {
    var id: ArchiveID
    /// Seconds since the boot.
    var end: Int64?
  }

  /// The file's content. Kept as one block, where texts of their own would lie all over the heap.
  private var text: [UInt8] = []
  private let boot: String

  /// Whether the file has to be written.
  private(set) var hasChanged = false

  static let fileName = "order"
  private static let temporaryName = "order.tmp"
  private static let longest = 16 * 1024 * 1024

  /// Reads what an earlier run has noted; anything unreadable counts as nothing.
  ///
  /// - Parameter boot: the id of the present boot, of which alone ends are kept.
  init(root: String, boot: String = "") {
    self.boot = boot
    guard let folder = try? DirectoryHandle(path: root), var file = try? ArchiveFile(Self.fileName, in: folder),
      file.byteCount <= UInt64(Self.longest)
    else { return }
    var bytes = [UInt8](repeating: 0, count: Int(file.byteCount))
    guard let count = try? file.read(at: 0, count: bytes.count, into: &bytes) else { return }
    text = Array(bytes.prefix(count))
    var seen: Set<ArchiveID> = []
    setEntries(entries.filter { seen.insert($0.id).inserted })
  }

  init(ids: [ArchiveID], boot: String = "") {
    self.boot = boot
    setEntries(ids.map { Entry(id: $0) })
  }

  var ids: [ArchiveID] { entries.map(\.id) }

  /// When archives ended within this boot, in seconds since then.
  var ends: [ArchiveID: Int64] {
    entries.reduce(into: [:]) { ends, entry in if let end = entry.end { ends[entry.id] = end } }
  }

  private var entries: [Entry] {
    var isOfThisBoot = false
    return text.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
      if words.first == "-", words.count == 2 { isOfThisBoot = words[1] == boot }
      guard let id = words.first.flatMap({ ArchiveID($0) }) else { return nil }
      return Entry(id: id, end: isOfThisBoot && words.count == 2 ? Int64(words[1]) : nil)
    }
  }

  private mutating func setEntries(_ entries: [Entry]) {
    let head = entries.contains { $0.end != nil } ? "- \(boot)\n" : ""
    text = Array((head + entries.map { $0.id.text + ($0.end.map { " \($0)" } ?? "") + "\n" }.joined()).utf8)
  }

  /// Takes note of the archives that are there now.
  ///
  /// - Parameter present: with the milliseconds since 1970 at which they say they began.
  mutating func note(_ present: [ArchiveID: Int64]) {
    let entries = self.entries
    let known = Set(entries.map(\.id))
    let new = present.filter { !known.contains($0.key) }.sorted { ($0.value, $0.key.text) < ($1.value, $1.key.text) }
    let kept = entries.filter { present[$0.id] != nil }
    guard !new.isEmpty || kept.count != entries.count else { return }
    hasChanged = true
    setEntries(kept + new.map { Entry(id: $0.key) })
  }

  /// Takes note of archives that have ended just now.
  ///
  /// - Parameter time: seconds since the boot.
  mutating func noteEnds(of ids: Set<ArchiveID>, at time: Int64) {
    guard !ids.isEmpty else { return }
    hasChanged = true
    setEntries(entries.map { ids.contains($0.id) ? Entry(id: $0.id, end: time) : $0 })
  }

  /// Writes the file, if need be. A failure does no harm before a restart, so it is tried again with the next change.
  mutating func store(root: String) {
    guard hasChanged, let folder = try? DirectoryHandle(path: root) else { return }
    do {
      try folder.replace(Self.fileName, by: Self.temporaryName, with: text)
      try folder.sync()
      hasChanged = false
    } catch {
      try? folder.removeFile(Self.temporaryName)
    }
  }
}
