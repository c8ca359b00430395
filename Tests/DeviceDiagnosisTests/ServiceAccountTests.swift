import Foundation
import Testing

@testable import DeviceDiagnosis

@Suite("What the daemon's user may do")
struct ServiceAccountTests {
  private let somebody = ServiceAccount(name: "somebody", userID: 4_000_001, groupIDs: [4_000_002])

  private func file(_ folder: String, _ mode: Int, owner: UInt32 = 0, group: UInt32 = 0) throws -> String {
    let path = "\(folder)/\(UUID().uuidString)"
    try Data().write(to: URL(filePath: path))
    chmod(path, mode_t(mode))
    try #require(chown(path, owner, group) == 0 || geteuid() != 0)
    return path
  }

  @Test("is told by owner, group and mode, every folder on the way included")
  func modes() throws {
    try withFolder { folder in
      chmod(folder, 0o755)
      let open = try file(folder, 0o644)
      #expect(somebody.permission(.read, open) == .granted)
      let text = "the user somebody may not write \(open) (0644, "
      guard case .denied(let words) = somebody.permission(.write, open) else { throw Failure() }
      #expect(words.hasPrefix(text))
      #expect(somebody.permission(.read, "\(folder)/none") == .absent)
      chmod(folder, 0o700)
      guard case .denied(let way) = somebody.permission(.read, open) else { throw Failure() }
      #expect(way.hasPrefix("the user somebody may not enter or run \(folder) (0700, "))
    }
  }

  @Test("an owner has the owner's bits, a member the group's", .enabled(if: geteuid() == 0))
  func owners() throws {
    try withFolder { folder in
      chmod(folder, 0o755)
      #expect(somebody.permission(.read, try file(folder, 0o600, owner: 4_000_001)) == .granted)
      #expect(somebody.permission([.read, .write], try file(folder, 0o060, group: 4_000_002)) == .granted)
      guard case .denied = somebody.permission(.read, try file(folder, 0o044, owner: 4_000_001)) else {
        throw Failure()
      }
      let root = ServiceAccount(name: "root", userID: 0, groupIDs: [0])
      #expect(root.permission([.read, .write], try file(folder, 0)) == .granted)
      guard case .denied = root.permission(.execute, try file(folder, 0o600)) else { throw Failure() }
    }
  }

  private struct Failure: Error {}
}

@Suite("The daemon's unit")
struct ServiceUnitTests {
  @Test("groups and devices of drop-ins are added, an empty one begins anew")
  func dropIns() throws {
    try withFolder { folder in
      let unit = """
        [Service]
        SupplementaryGroups=video audio
        DevicePolicy=closed
        DeviceAllow=char-alsa rw
        """
      try unit.write(toFile: "\(folder)/livesessionsd.service", atomically: true, encoding: .utf8)
      try FileManager.default.createDirectory(
        atPath: "\(folder)/livesessionsd.service.d", withIntermediateDirectories: true)
      try "[Service]\nSupplementaryGroups=input\nDeviceAllow=char-input r\n".write(
        toFile: "\(folder)/livesessionsd.service.d/a.conf", atomically: true, encoding: .utf8)
      let read = ServiceUnit(folders: ["/nonexistent", folder])
      #expect(read.isInstalled)
      #expect(read.supplementaryGroups == ["video", "audio", "input"])
      #expect(read.devices == ["char-alsa", "char-input"])
      try "[Service]\nSupplementaryGroups=\nDevicePolicy=auto\n".write(
        toFile: "\(folder)/livesessionsd.service.d/b.conf", atomically: true, encoding: .utf8)
      let reset = ServiceUnit(folders: [folder])
      #expect(reset.supplementaryGroups.isEmpty)
      #expect(reset.devices == nil)
      #expect(!ServiceUnit(folders: ["/nonexistent"]).isInstalled)
    }
  }
}
