import Testing

@testable import ConfigFile

@Suite("Access-control lists of secret files")
struct AccessListTests {
  private static let (owner, user, group, namedGroup): (UInt8, UInt8, UInt8, UInt8) = (1, 2, 4, 8)
  private static let (mask, others): (UInt8, UInt8) = (0x10, 0x20)

  private func entry(_ tag: UInt8, _ permissions: UInt8, _ id: UInt8? = nil) -> [UInt8] {
    [tag, 0, permissions, 0] + (id.map { [$0, 1, 0, 0] } ?? [0xFF, 0xFF, 0xFF, 0xFF])
  }

  /// As systemd makes them: the owner, the service's user, and the mask.
  private func list(_ more: [[UInt8]] = [], group: UInt8 = 0, others: UInt8 = 0) -> [UInt8] {
    let usual = [
      entry(Self.owner, 4), entry(Self.user, 4, 17), entry(Self.group, group), entry(Self.mask, 4),
      entry(Self.others, others),
    ]
    return [2, 0, 0, 0] + (usual + more).flatMap { $0 }
  }

  @Test("what lets one more user read is private to that user")
  func ownUser() throws {
    let list = try #require(AccessList(list()))
    #expect(list.isPrivate(to: 256 + 17))
    #expect(!list.isPrivate(to: 256 + 18))
    #expect(!list.isPrivate(to: 17))
  }

  @Test("what lets anybody else read is not")
  func anonymous() throws {
    for exposed in [
      list(group: 4), list(others: 4), list([entry(Self.user, 4, 18)]), list([entry(Self.namedGroup, 4, 17)]),
      list(group: 2), list([entry(0x40, 1, 17)]),
    ] {
      #expect(try #require(AccessList(exposed)).isPrivate(to: 256 + 17) == false)
    }
    #expect(
      try #require(AccessList(list([entry(Self.user, 0, 18), entry(Self.namedGroup, 0, 17)]))).isPrivate(to: 256 + 17))
  }

  @Test("what is no list is none")
  func malformed() {
    #expect(AccessList([]) == nil)
    #expect(AccessList([2, 0, 0]) == nil)
    #expect(AccessList([1, 0, 0, 0]) == nil)
    #expect(AccessList(list().dropLast()) == nil)
    #expect(AccessList(of: -1) == nil)
  }
}
