import Glibc

/// Remembers beside a database that there was one, so that a hub whose accounts have vanished does not begin without any:
/// people could not log in, and anyone could take a title.
struct DatabaseMark {
  private let database: String

  init(database: String) { self.database = database }

  /// The file beside the database.
  var path: String { database + ".exists" }

  /// Refuses where a database has vanished, or is an empty file.
  ///
  /// - Parameter mayBegin: whether the operator has asked for an empty one.
  func check(mayBegin: Bool) throws(Failure) {
    var (own, other) = (stat(), stat())
    guard stat(path, &own) == 0, !mayBegin else { return }
    let isThere = stat(database, &other) == 0
    guard !isThere || other.st_size == 0 else { return }
    throw Failure(
      "database \(database): there was one, and it \(isThere ? "is empty now" : "has vanished"); put it back from a backup (is its "
        + "file system mounted?), or begin without accounts: livesessions-hub serve --new-database, once",
      exitCode: Failure.configuration)
  }

  /// There is a database. If that cannot be recorded, the hub works nevertheless.
  func leave() {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }
}
