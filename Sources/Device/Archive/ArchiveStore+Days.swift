import Glibc
public import Signalling

/// The folders between the root and the archives.
///
/// The root's own path is the administrator's, and may lead through links; below it nothing does. A disk may come from
/// anywhere, so what is read is bounded.
extension ArchiveStore {
  /// A century; of more the latest are seen.
  private static let maxDays = 36_525

  /// Opens a folder below the root, step by step.
  func openFolder(_ components: [String]) throws(ArchiveError) -> DirectoryHandle {
    var folder = try DirectoryHandle(path: root)
    for component in components { folder = try DirectoryHandle(component, in: folder) }
    return folder
  }

  func openDay(_ day: CalendarDay) throws(ArchiveError) -> DirectoryHandle { try openFolder(day.components) }

  /// Opens an archive's folder for inspection; others may work on it meanwhile.
  func openUnlocked(_ id: ArchiveID, on day: CalendarDay) throws(ArchiveError) -> ArchiveFolder {
    ArchiveFolder(id: id, directory: try DirectoryHandle(id.text, in: try openDay(day)))
  }

  /// The days that have folders, in order.
  func days() throws(ArchiveError) -> [CalendarDay] {
    var days: [CalendarDay] = []
    for year in try numbers(in: [], digits: 4).reversed() {
      for month in try numbers(in: [year], digits: 2).reversed() {
        for day in try numbers(in: [year, month], digits: 2).reversed() {
          guard days.count < Self.maxDays else { return days.reversed() }
          if let day = CalendarDay(components: [year, month, day]) { days.append(day) }
        }
      }
    }
    return days.reversed()
  }

  /// Names in a folder that consist of that many digits; none if there is no such folder, or something else in its
  /// place.
  private func numbers(in components: [String], digits: Int) throws(ArchiveError) -> [String] {
    do {
      let names = try openFolder(components).names()
      return names.filter { name in
        name.utf8.count == digits && name.utf8.allSatisfy { (48...57).contains($0) }
      }
    } catch {
      guard error.errno == ENOENT || !components.isEmpty && error.isNoFolder else { throw error }
      return []
    }
  }

  /// The archives of one day, those in deletion left out; none if something else is in the day's place.
  func ids(on day: CalendarDay) throws(ArchiveError) -> [ArchiveID] {
    do {
      return try openDay(day).names().compactMap { ArchiveID($0) }
    } catch {
      guard error.errno == ENOENT || error.isNoFolder else { throw error }
      return []
    }
  }

  /// All ids, without opening their folders.
  public func ids() throws(ArchiveError) -> [ArchiveID] {
    var ids: [ArchiveID] = []
    for day in try days() { ids += try self.ids(on: day) }
    return ids
  }

  func day(of id: ArchiveID) throws(ArchiveError) -> CalendarDay {
    for day in try days().reversed() {
      if let folder = try? openDay(day), folder.contains(id.text) { return day }
    }
    throw .notFound(id)
  }
}

extension ArchiveError {
  /// Whether a file or a link is where a folder was expected.
  fileprivate var isNoFolder: Bool { errno == ENOTDIR || errno == ELOOP }
}
