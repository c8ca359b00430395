import Glibc
public import Signalling
public import SystemSupport

/// Why something about archives could not be done.
public enum ArchiveError: Error, Equatable, Sendable {
  /// An archive, stream or file name that could escape its folder, or is too long; or an archive's name that is too long
  /// or has control characters.
  case invalidName(String)
  /// The file has a second hard link, so it may belong to another program.
  case hardLinked(String)
  /// The file says that it is large and consists of holes.
  case hollow(String)
  /// There is a link, a pipe, a socket, a device or a folder in the file's place.
  case notRegular(String)
  case notFound(ArchiveID)
  /// The archive is being recorded, repaired or exported.
  case inUse(ArchiveID)
  /// The archive is locked against deletion.
  case locked(ArchiveID)
  /// The archive was not stopped properly and has not been recovered.
  case unfinished(ArchiveID)
  /// No file of the archive holds video or audio.
  case noMedia(ArchiveID)
  /// A part of the archive is larger than one that is sent.
  case tooLarge(ArchiveID)
  /// None of the archive's files can be read, for these reasons.
  case nothingUsable(ArchiveID, [String])
  /// A stream of this name is being recorded already.
  case duplicateStream(String)
  /// The recording has ended.
  case stopped
  /// Too little space is left on the disk to start.
  case notEnoughSpace(available: UInt64, required: UInt64)
  /// The disk that belongs at this place is not mounted.
  case notMounted(String)
  /// `archive.json` is not a manifest.
  case manifestUnreadable(String)
  /// Evidence could not be signed, or the file of it cannot be read.
  case evidence(String)
  case system(SystemCallError)
  /// A system call failed on this file or folder.
  case storage(path: String, SystemCallError)
}

extension ArchiveError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .invalidName(let name): "not a valid name: \(name.debugDescription)"
    case .hardLinked(let name):
      "\(name) has another name elsewhere (a hard link), so it is not touched: replace it by a copy of its own"
    case .hollow(let name): "\(name) consists of holes (a sparse file) and is no recording: remove it"
    case .notRegular(let name):
      "\(name) is no regular file but a link, a pipe, a device or a folder, so it is not opened: replace it by a copy"
    case .notFound(let id): "no archive \(id)"
    case .inUse(let id):
      "archive \(id) is being recorded, repaired or exported; while it is recorded, only a part can be exported"
    case .locked(let id): "archive \(id) is locked; unlock it first: livesessions archive unlock \(id)"
    case .unfinished(let id): "archive \(id) was not finished; repair it first: livesessions archive repair \(id)"
    case .noMedia(let id): "archive \(id) holds neither video nor audio"
    case .tooLarge(let id): "this part of archive \(id) has more than a gigabyte: take a shorter one"
    case .nothingUsable(let id, let reasons):
      "no file of archive \(id) can be read: " + reasons.joined(separator: "; ")
    case .duplicateStream(let streamID): "stream \(streamID) is being recorded already"
    case .stopped: "the recording has ended"
    case .notEnoughSpace(let available, let required):
      "not enough disk space: \(available) bytes available, \(required) required: delete archives, or lower min_free"
    case .notMounted(let path):
      "\(path) is in /etc/fstab but not mounted, so recordings go to the disk below it: run mount \(path)"
    case .manifestUnreadable(let detail): "archive.json cannot be read: \(detail)"
    case .evidence(let detail): "evidence: \(detail)"
    case .system(let error): error.description
    case .storage(let path, let error):
      "\(path): \(error)" + (DiskFailure(errno: error.errno).map { ": \($0.remedy)" } ?? "")
    }
  }
}

extension ArchiveError {
  /// A system call has just failed: reads the calling thread's `errno`.
  static func last(_ call: String) -> ArchiveError { .system(.last(call)) }

  /// The system's error number, if it was a system call that failed.
  var errno: Int32? {
    switch self {
    case .system(let error), .storage(_, let error): error.errno
    case .invalidName, .hardLinked, .hollow, .notRegular, .notFound, .inUse, .locked, .unfinished, .noMedia,
      .tooLarge, .nothingUsable, .duplicateStream, .stopped, .notEnoughSpace, .notMounted, .manifestUnreadable,
      .evidence:
      nil
    }
  }

  /// Whether something is in a file's place that is none of ours: it is left alone.
  var isForeign: Bool {
    switch self {
    case .notRegular, .hardLinked, .hollow: true
    case .invalidName, .notFound, .inUse, .locked, .unfinished, .noMedia, .tooLarge, .nothingUsable, .duplicateStream,
      .stopped,
      .notEnoughSpace,
      .notMounted, .manifestUnreadable, .evidence, .system, .storage:
      false
    }
  }

  /// Whether there is no such file.
  var isMissing: Bool { errno == ENOENT }

  /// The folder, or a file in it that is being written, was removed.
  static func removed(_ path: String) -> ArchiveError {
    .storage(path: path, SystemCallError(call: "fstat", errno: ENOENT))
  }

  /// The same, naming the file or folder.
  func at(_ path: String) -> ArchiveError {
    if case .system(let error) = self { .storage(path: path, error) } else { self }
  }

  /// What a manifest says as the reason.
  var reason: String { errno.flatMap { DiskFailure(errno: $0)?.reason } ?? description }
}
