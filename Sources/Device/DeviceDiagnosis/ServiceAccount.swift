import Glibc

/// Whom the daemon runs as, and what that user may do with files by their owner and mode (access-control lists aside).
public struct ServiceAccount: Sendable, Hashable {
  /// The user that the packages make.
  public static let usualName = "livesessions"

  struct Rights: OptionSet {
    let rawValue: mode_t
    static let read = Rights(rawValue: 4)
    static let write = Rights(rawValue: 2)
    static let execute = Rights(rawValue: 1)
  }

  enum Permission: Hashable {
    case granted
    case denied(String)
    /// There is no such file.
    case absent
    /// The caller may not see that.
    case unknown
  }

  let name: String
  let userID: uid_t
  let groupIDs: Set<gid_t>

  init(name: String, userID: uid_t, groupIDs: Set<gid_t>) {
    self.name = name
    self.userID = userID
    self.groupIDs = groupIDs
  }

  /// A user by name, with the groups of the user database and `others`; nil if there is none.
  init?(name: String, others: [String] = []) {
    guard let entry = getpwnam(name) else { return nil }
    let (user, group) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
    var count: CInt = 256
    var groups = [gid_t](repeating: group, count: Int(count))
    guard getgrouplist(name, group, &groups, &count) >= 0 else { return nil }
    let more = others.compactMap { getgrnam($0)?.pointee.gr_gid }
    self.init(name: name, userID: user, groupIDs: Set(groups.prefix(Int(count)) + more))
  }

  /// The user that runs this program.
  static var current: ServiceAccount {
    let count = max(0, getgroups(0, nil))
    var groups = [gid_t](repeating: getegid(), count: Int(count))
    _ = getgroups(count, &groups)
    return ServiceAccount(name: userName(geteuid()), userID: geteuid(), groupIDs: Set(groups + [getegid()]))
  }
}

extension ServiceAccount {
  /// What this user may do with a file, every folder on the way included.
  func permission(_ rights: Rights, _ path: String) -> Permission {
    for end in path.indices where path[end] == "/" && end != path.startIndex {
      let folder = permissionHere(.execute, String(path[..<end]))
      guard folder == .granted else { return folder }
    }
    return permissionHere(rights, path)
  }

  private func permissionHere(_ rights: Rights, _ path: String) -> Permission {
    var status = stat()
    guard stat(path, &status) == 0 else { return errno == ENOENT || errno == ENOTDIR ? .absent : .unknown }
    guard !Rights(rawValue: mode(of: status)).isSuperset(of: rights) else { return .granted }
    let mode = String(status.st_mode & 0o777, radix: 8)
    let owners = "\(Self.userName(status.st_uid)):\(Self.groupName(status.st_gid))"
    return .denied("the user \(name) may not \(Self.words(rights)) \(path) (0\(mode), \(owners))")
  }

  /// The three bits that count for this user.
  private func mode(of status: stat) -> mode_t {
    if userID == 0 { return 6 | (status.st_mode & 0o111 == 0 ? 0 : 1) }
    if status.st_uid == userID { return status.st_mode >> 6 & 7 }
    return (groupIDs.contains(status.st_gid) ? status.st_mode >> 3 : status.st_mode) & 7
  }

  private static func words(_ rights: Rights) -> String {
    let names: [(Rights, String)] = [(.read, "read"), (.write, "write"), (.execute, "enter or run")]
    return names.filter { rights.contains($0.0) }.map { $0.1 }.joined(separator: " and ")
  }
}

extension ServiceAccount {
  private static let maxNameBytes = 4_096

  // By the functions that several threads may call at once.
  private static func userName(_ id: uid_t) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: maxNameBytes) { buffer in
      var entry = passwd()
      var found: UnsafeMutablePointer<passwd>?
      getpwuid_r(id, &entry, buffer.baseAddress!, buffer.count, &found)
      return found == nil ? "\(id)" : String(cString: entry.pw_name)
    }
  }

  private static func groupName(_ id: gid_t) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: maxNameBytes) { buffer in
      var entry = group()
      var found: UnsafeMutablePointer<group>?
      getgrgid_r(id, &entry, buffer.baseAddress!, buffer.count, &found)
      return found == nil ? "\(id)" : String(cString: entry.gr_name)
    }
  }
}
