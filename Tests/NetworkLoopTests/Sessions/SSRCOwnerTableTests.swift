import Testing

@testable import NetworkLoop

@Suite struct SSRCOwnerTableTests {
  private final class Owner {}
  private let first = Owner()
  private let second = Owner()

  @Test func findsTheOwnerOfASourceAndNobodyForOthers() {
    var table = SSRCOwnerTable<Owner>()
    table.insert(0, of: first)
    table.insert(.max, of: second)
    #expect(table[0] === first)
    #expect(table[.max] === second)
    #expect(table[1] == nil)
  }

  @Test func aSourceOfSeveralLeadsToTheLast() {
    var table = SSRCOwnerTable<Owner>()
    table.insert(1, of: first)
    table.insert(1, of: second)
    #expect(table[1] === second)
    table.insert(1, of: first)
    #expect(table[1] === first)
  }

  @Test func whatSomebodyElseHasTakenOverStaysWhenAnOwnerGoes() {
    var table = SSRCOwnerTable<Owner>()
    for source: UInt32 in [1, 2, 3] { table.insert(source, of: first) }
    table.insert(2, of: second)
    table.removeAll(of: first)
    #expect(table[1] == nil && table[3] == nil)
    #expect(table[2] === second)
    table.removeAll(of: second)
    #expect(table[2] == nil)
  }

  @Test func holdsNoOwnerThatIsGone() {
    var table = SSRCOwnerTable<Owner>()
    weak var gone: Owner?
    do {
      let owner = Owner()
      gone = owner
      for source in 0..<UInt32(32) { table.insert(source, of: owner) }
      table.removeAll(of: owner)
    }
    #expect(gone == nil)
  }
}
