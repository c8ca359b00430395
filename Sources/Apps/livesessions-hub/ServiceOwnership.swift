import CLinux
import Glibc

/// Keeps root from leaving files that the hub's own user cannot read.
///
/// Accounts are made by root, often before the service's first start; what is new then belongs to the service. `serve` by
/// hand is refused where the service's data lies, as other database servers do.
struct ServiceOwnership {
  /// The unit's user.
  private static let serviceUser = "livesessions-hub"

  private let database: String
  private let folder: String
  private let folderOwner: (user: uid_t, group: gid_t)?

  init(database: String) {
    self.database = database
    let slash = database.lastIndex(of: "/")
    folder = slash.map { $0 == database.startIndex ? "/" : String(database[..<$0]) } ?? "."
    var (user, group) = (uid_t(), gid_t())
    folderOwner = ls_owner(folder, &user, &group) == 0 ? (user, group) : nil
  }

  /// Who should own the database when root works on it; `nil` for root itself.
  private var owner: (user: uid_t, group: gid_t)? {
    guard geteuid() == 0 else { return nil }
    if let folderOwner, folderOwner.user != 0 { return folderOwner }
    guard let service = getpwnam(Self.serviceUser), String(cString: service.pointee.pw_dir) == folder else {
      return nil
    }
    return (service.pointee.pw_uid, service.pointee.pw_gid)
  }

  func refuseToServe() throws(Failure) {
    guard let owner else { return }
    let name = getpwuid(owner.user).map { String(cString: $0.pointee.pw_name) } ?? "\(owner.user)"
    throw Failure(
      "root must not serve \(database), which belongs to \(name): run systemctl start livesessions-hub, "
        + "or as that user: runuser -u \(name) -- livesessions-hub serve",
      exitCode: Failure.configuration)
  }

  /// Hands what root has made to the owner.
  func handOver() {
    guard let owner else { return }
    if folderOwner?.user != owner.user { give(folder, to: owner, isFolder: true) }
    for suffix in ["", "-wal", "-shm", ".exists"] { give(database + suffix, to: owner, isFolder: false) }
  }

  /// Only root's own files, and never through a link: the owner of the folder chooses what lies in it.
  private func give(_ path: String, to owner: (user: uid_t, group: gid_t), isFolder: Bool) {
    // A missing file, or one that is not root's, needs no other owner.
    _ = ls_give_from_root(path, isFolder ? 1 : 0, owner.user, owner.group)
  }
}
