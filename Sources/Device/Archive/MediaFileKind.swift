import Glibc
import Signalling
import WebM

/// What a file turns out to be that has a recording's name.
enum MediaFileKind {
  /// Ours, with media in it.
  case recording
  /// Ours or blank, without media: nothing is lost with it.
  case empty
  /// Foreign, or damaged beyond recognition: it is left as it is.
  case foreign

  /// Inspects a file that the manifest does not name; reads the heads of the clusters of one of ours.
  init(of name: String, in folder: borrowing ArchiveFolder) throws(ArchiveError) {
    do {
      var file = try ArchiveFile(name, in: folder.directory, isOurs: true)
      let scan = try WebMScanner.scan(&file, depth: .quick)
      self = try MediaFileKind(file, scan)
    } catch {
      // The recorder's own files it may read.
      guard error.isForeign || error.errno == EACCES else { throw error }
      self = .foreign
    }
  }

  /// - Parameter scan: of the file.
  init(_ file: borrowing ArchiveFile, _ scan: WebMScan) throws(ArchiveError) {
    guard scan.isEmpty else {
      self = .recording
      return
    }
    switch scan.beginning {
    case .header: self = .empty
    case .blank: self = try file.isBlank ? .empty : .foreign
    case .other: self = .foreign
    }
  }
}

extension ArchiveFile {
  /// Whether it begins with a whole header of ours, as all recordings do that are complete or were repaired.
  var hasOwnHeader: Bool {
    get throws(ArchiveError) {
      var block = [UInt8](repeating: 0, count: 512)
      return try bytes(at: 0, into: &block) == block.count && WebMHeader(parsing: block.span.bytes) != nil
    }
  }
}

extension ArchiveFolder {
  /// Names of what is in the folder and was not put there by the recorder, sorted. Of files that the manifest names only those
  /// are, in whose place there is something else.
  ///
  /// - Parameter manifest: nil where none can be read.
  func foreignNames(besides manifest: ArchiveManifest?) throws(ArchiveError) -> [String] {
    let named = Set(manifest?.files.map(\.filename) ?? [])
    var foreign: [String] = []
    for name in try directory.names() {
      if try named.contains(name) ? directory.isReplaced(name) : isForeign(name) { foreign.append(name) }
    }
    return foreign
  }

  private func isForeign(_ name: String) throws(ArchiveError) -> Bool {
    if AdministrativeFile(rawValue: name) != nil { return false }
    if name == GPXTrack.fileName { return try !GPXRepair.isOurs(in: directory) }
    guard name.isMediaFileName else { return true }
    do {
      return try MediaFileKind(of: name, in: self) == .foreign
    } catch {
      guard error.isMissing else { throw error }
      return false
    }
  }

  /// The WebM files in the folder, whether the manifest knows them or not.
  func mediaFileNames() throws(ArchiveError) -> [String] { try directory.names().filter(\.isMediaFileName) }
}

extension DirectoryHandle {
  /// Whether there is a link, a pipe, a device or a folder of this name.
  fileprivate func isReplaced(_ name: String) -> Bool {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_mode & S_IFMT != S_IFREG
  }
}

extension String {
  /// Whether a recorder could have made a media file of this name.
  fileprivate var isMediaFileName: Bool { hasSuffix(".webm") && isSafeFileName }
}
