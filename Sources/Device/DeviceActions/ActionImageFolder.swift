import Glibc
public import SystemSupport

/// The outcome of a requested action.
public enum ActionOutcome: Sendable, Hashable {
  /// The policy permitted it.
  case admitted
  case refused
}

/// Images of the moments at which actions were requested, on the disk.
///
/// Those of refusals go for those of refusals alone: refused attempts cannot push out admitted uses. The oldest go
/// first, by the number at the end of the name: clocks are set. Blocks; one call at a time.
public struct ActionImageFolder: Sendable {
  private let path: String
  private let limits: [ActionOutcome: Int]

  /// - Parameters:
  ///   - path: of the folder, which is made with the first image.
  ///   - admitted: how many are kept of uses that the policy permitted.
  ///   - refused: how many of others.
  public init(path: String, admitted: Int = 400, refused: Int = 100) {
    self.path = path
    limits = [.admitted: admitted, .refused: refused]
  }

  /// Writes an image, and removes the oldest of its kind that are too many.
  ///
  /// - Parameter time: seconds since 1970, for the name.
  /// - Returns: where it is.
  public func store(
    _ image: [UInt8], of action: String, _ outcome: ActionOutcome, at time: Int64
  ) throws(SystemCallError) -> String {
    if mkdir(path, 0o750) != 0, errno != EEXIST { throw .last("mkdir \(path)") }
    let images = images()
    let number = (images.map(\.number).max() ?? 0) + 1
    let name =
      "\(TimeText.utc(time, "%Y%m%dT%H%M%SZ"))-\(action).\(Self.pad(number))\(outcome == .refused ? ".refused" : "").jpg"
    let file = "\(path)/\(name)"
    try write(image, to: file)
    for old in images.filter({ $0.outcome == outcome }).dropLast((limits[outcome] ?? 1) - 1) {
      unlink("\(path)/\(old.name)")
    }
    return file
  }

  private func write(_ image: [UInt8], to file: String) throws(SystemCallError) {
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o640)
    guard descriptor >= 0 else { throw .last("open \(file)") }
    defer { close(descriptor) }
    do {
      try PrivateFile.write(image, to: descriptor)
    } catch {
      unlink(file)
      throw error.naming(file)
    }
  }

  private static func pad(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }

  /// The oldest first.
  private func images() -> [ActionImage] {
    FolderEntries.names(in: path).compactMap { ActionImage($0) }.sorted { ($0.number, $0.name) < ($1.number, $1.name) }
  }
}

/// What the name of an image says: `<UTC>-<action>.<number>.jpg`, with `.refused` before the last dot. One without a number is an
/// earlier version's, and older than all others.
private struct ActionImage {
  var name: String
  var number: Int
  var outcome: ActionOutcome

  /// Nil for what is no image.
  init?(_ name: String) {
    guard name.hasSuffix(".jpg") else { return nil }
    let parts = name.split(separator: ".").dropFirst().dropLast()
    self.name = name
    number = parts.first.flatMap { Int($0) }.map { min(max(0, $0), Int.max - 1) } ?? 0
    outcome = parts.last == "refused" ? .refused : .admitted
  }
}
