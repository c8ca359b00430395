import Glibc

/// The fault of a program's state file, and its consequence; for people.
public struct StateFault: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    /// It holds something else than the program writes; it was kept under another name, unless that failed.
    case damaged(keptAs: String?)
    case unreadable(SystemCallError)
    /// Its new content is only in memory.
    case unwritable(SystemCallError)
  }

  public var path: String
  public var kind: Kind
  /// What the program does without it.
  public var consequence: String

  public init(_ path: String, _ kind: Kind, _ consequence: String) {
    self.path = path
    self.kind = kind
    self.consequence = consequence
  }

  public var description: String { "\(problem); \(remedy)" }

  /// Without the remedy.
  public var problem: String {
    switch kind {
    case .damaged(let name?): "\(path) was damaged, and is kept as \(name): \(consequence)"
    case .damaged(nil): "\(path) is damaged, and cannot be moved away: \(consequence)"
    case .unreadable(let failure): "\(path) cannot be read (\(failure.reason)): \(consequence)"
    case .unwritable(let failure): "\(path) cannot be written (\(failure.reason)): \(consequence)"
    }
  }

  public var remedy: String {
    switch kind {
    case .damaged(let name?): "put the right one back from a copy, or remove \(name)"
    case .damaged(nil): "remove it"
    case .unreadable(let failure), .unwritable(let failure): failure.remedy
    }
  }
}

extension SystemCallError {
  /// The system's message.
  public var reason: String { String(cString: strerror(errno)) }

  /// What a person can do about it.
  public var remedy: String {
    switch errno {
    case ENOSPC, EDQUOT: "free some space there"
    case EROFS: "mount its file system writable; after errors of the disk see dmesg"
    case EACCES, EPERM: "give it to the user that the program runs as, with chown"
    case EISDIR, ENOTDIR, ELOOP: "something else lies there: move it away"
    case ENOENT: "make the folder in which it lies"
    case EIO: "the disk may be failing: see dmesg"
    default: "see its disk, and dmesg"
    }
  }
}

extension PrivateFile {
  /// A file's content, or its substitute.
  public struct Loaded<Value> {
    public var value: Value
    public var fault: StateFault?

    public init(value: Value, fault: StateFault? = nil) {
      self.value = value
      self.fault = fault
    }
  }

  /// Reads a file that the program creates itself, or creates it.
  ///
  /// Always yields a value. A damaged file is kept under another name and recreated; one that cannot be
  /// read stays as it is, and one that cannot be written is only in memory, both until a restart.
  ///
  /// - Parameters:
  ///   - limit: octets that the file may have.
  ///   - consequence: of a new value, for people.
  ///   - parse: nil for what the program has not written.
  ///   - make: a new value, with what the file is to hold.
  public static func load<Value, Refusal: Error>(
    _ path: String, limit: Int, consequence: String, parse: (Contents) throws(Refusal) -> Value?,
    make: () throws(Refusal) -> (Value, [UInt8])
  ) throws(Refusal) -> Loaded<Value> {
    var fault: StateFault?
    switch Result(catching: { () throws(SystemCallError) in try read(path, limit: limit) }) {
    case .success(let contents?):
      if let value = try parse(contents) { return Loaded(value: value) }
      fault = StateFault(path, .damaged(keptAs: try? setAside(path)), consequence)
    case .success(nil): break
    case .failure(let failure):
      return Loaded(value: try make().0, fault: StateFault(path, .unreadable(failure), consequence))
    }
    let (value, octets) = try make()
    // A damaged file that cannot be moved is not overwritten.
    if let fault, case .damaged(nil) = fault.kind { return Loaded(value: value, fault: fault) }
    do {
      try replace(path, with: octets)
    } catch {
      fault = fault ?? StateFault(path, .unwritable(error), consequence)
    }
    return Loaded(value: value, fault: fault)
  }

  private static let maxSetAside = 9

  /// Renames the file at a path to an unused name beside it; returns that name.
  public static func setAside(_ path: String) throws(SystemCallError) -> String {
    for number in 1...maxSetAside {
      let name = "\(path).damaged\(number == 1 ? "" : "-\(number)")"
      var status = stat()
      guard lstat(name, &status) != 0 else { continue }
      guard rename(path, name) == 0 else { throw .last("rename") }
      return name
    }
    throw SystemCallError(call: "rename", errno: EEXIST)
  }
}

extension PrivateFile.Loaded: Sendable where Value: Sendable {}
