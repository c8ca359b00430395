import Glibc
import MediaCore
import Signalling

/// Surveys the archives' folder, and remembers what cannot have changed.
struct ArchiveSurvey: Sendable {
  /// What was found.
  struct Result {
    /// In no order.
    var holdings: [ArchiveHolding] = []
    /// When they say that they began, in milliseconds since 1970.
    var beginnings: [ArchiveID: Int64] = [:]
    /// Paths of what is no archive: without a readable manifest, a file, or an older copy of an archive.
    var foreign: [String] = []
  }

  /// A folder's state; adding, removing and replacing files changes it.
  private struct Stamp: Hashable {
    var inode: UInt64
    var seconds: Int
    var nanoseconds: Int
  }

  /// Without texts of its own: each would be a small block somewhere on the heap, and keep its page from the kernel.
  private struct Memory {
    /// Of the id. Two archives that have the same are distinguished by their folders, and merely inspected twice.
    var hash: Int
    var stamp: Stamp
    var endedAt: Int64?
    var byteCount: UInt64
    var isLocked: Bool
    var isUploaded: Bool
    /// Shared by all archives of a caller.
    var callerID: String?
    /// Shared by all archives of the same plans.
    var plans: [String]
    var beginning: Int64

    func holding(_ id: ArchiveID) -> ArchiveHolding {
      var holding = ArchiveHolding(
        id: id, endedAt: endedAt, byteCount: byteCount, isLocked: isLocked, callerID: callerID)
      holding.plans = plans
      holding.isUploaded = isUploaded
      return holding
    }
  }

  private struct Finding {
    var holding: ArchiveHolding
    var beginning: Int64
  }

  /// What a survey keeps for the next one.
  private struct Fresh {
    var memory: [Memory] = []
    private var callers: Set<String> = []
    private var plans: Set<[String]> = []

    mutating func add(_ found: Finding, _ stamp: Stamp) {
      let holding = found.holding
      memory.append(
        Memory(
          hash: holding.id.hashValue, stamp: stamp, endedAt: holding.endedAt, byteCount: holding.byteCount,
          isLocked: holding.isLocked, isUploaded: holding.isUploaded,
          callerID: holding.callerID.map { callers.insert($0).memberAfterInsert },
          plans: plans.insert(holding.plans).memberAfterInsert, beginning: found.beginning))
    }
  }

  /// Sorted by hash: a dictionary takes three times the space.
  private var memory: [Memory] = []

  /// Surveys everything; finished archives that have not changed cost one system call.
  mutating func check(at store: ArchiveStore) throws(ArchiveError) -> Result {
    var (result, fresh) = (Result(), Fresh())
    fresh.memory.reserveCapacity(memory.count)
    for day in try store.days().reversed() { check(at: day, of: store, &result, &fresh) }
    fresh.memory.sort { $0.hash < $1.hash }
    memory = fresh.memory
    return result
  }

  private func check(at day: CalendarDay, of store: ArchiveStore, _ result: inout Result, _ fresh: inout Fresh) {
    guard let folder = try? store.openDay(day), let names = try? folder.names() else { return }
    for name in names where !folder.isDeletion(name) {
      guard let id = ArchiveID(name), result.beginnings[id] == nil, let stamp = Self.stamp(name, in: folder),
        let found = recall(id, stamp) ?? Self.read(id, in: folder)
      else {
        result.foreign.append(store.path(of: day) + "/" + name)
        continue
      }
      result.holdings.append(found.holding)
      result.beginnings[id] = found.beginning
      if !found.holding.isRecording { fresh.add(found, stamp) }
    }
  }

  /// Forgets an archive that turned out to be different.
  mutating func forget(_ id: ArchiveID) {
    if let place = place(of: id) { memory.remove(at: place) }
  }

  private func place(of id: ArchiveID) -> Int? {
    let hash = id.hashValue
    var (low, high) = (0, memory.count)
    while low < high {
      let middle = (low + high) / 2
      if memory[middle].hash < hash { low = middle + 1 } else { high = middle }
    }
    return low < memory.count && memory[low].hash == hash ? low : nil
  }

  private func recall(_ id: ArchiveID, _ stamp: Stamp) -> Finding? {
    guard let known = place(of: id).map({ memory[$0] }), known.stamp == stamp else { return nil }
    return Finding(holding: known.holding(id), beginning: known.beginning)
  }

  /// `nil` for anything but a folder.
  private static func stamp(_ name: String, in parent: borrowing DirectoryHandle) -> Stamp? {
    var status = stat()
    guard fstatat(parent.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFDIR
    else { return nil }
    return Stamp(inode: UInt64(status.st_ino), seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
  }

  /// `nil` for a folder without a manifest that is not in use.
  private static func read(_ id: ArchiveID, in parent: borrowing DirectoryHandle) -> Finding? {
    guard let directory = try? DirectoryHandle(id.text, in: parent) else { return nil }
    let folder = ArchiveFolder(id: id, directory: directory)
    let manifest = try? folder.manifest()
    // Its recorder holds the folder from before there is a manifest.
    let isRecording = manifest.map { $0.status == .started } != false && !folder.directory.lockShared()
    guard manifest != nil || isRecording else { return nil }
    let end = manifest.flatMap { $0.clockSynchronized ? $0.endedAt : nil }
    var holding = ArchiveHolding(
      id: id, endedAt: end, byteCount: folder.allocatedByteCount, isRecording: isRecording,
      isLocked: folder.directory.contains(ArchiveFolder.lockName), callerID: manifest?.callerID)
    holding.plans = manifest?.plans ?? []
    holding.isUploaded = folder.isUploaded
    return Finding(holding: holding, beginning: manifest?.createdAt ?? .max)
  }
}

extension ArchiveFolder {
  /// What deleting the folder frees.
  fileprivate var allocatedByteCount: UInt64 {
    var sum: UInt64 = 0
    for name in (try? directory.names()) ?? [] {
      var status = stat()
      guard fstatat(directory.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
      sum = sum.saturatingAdding(UInt64(max(0, status.st_blocks)).saturatingMultiplied(by: 512))
    }
    return sum
  }
}
