import Foundation
import TestSupport
import Signalling
import Testing

@testable import Archive

@Suite struct ArchiveLedgerTests {
  private func ids(_ text: String) -> [ArchiveID] { text.split(separator: " ").compactMap { ArchiveID(String($0)) } }

  private func present(_ pairs: KeyValuePairs<String, Int64>) -> [ArchiveID: Int64] {
    Dictionary(uniqueKeysWithValues: pairs.map { (ArchiveID($0.key)!, $0.value) })
  }

  @Test func firstTheTimesDecide() {
    var ledger = ArchiveLedger(ids: [])
    ledger.note(present(["c": 1, "a": 3, "b": 2, "b2": 2]))
    #expect(ledger.ids == ids("c b b2 a"))
    #expect(ledger.hasChanged)
  }

  @Test func whatComesLaterIsYoungerWhateverItsClockSaid() {
    var ledger = ArchiveLedger(ids: ids("x y"))
    ledger.note(present(["x": 1_795_000_000_000, "y": 1_796_000_000_000, "boot1970": 7_000]))
    #expect(ledger.ids == ids("x y boot1970"))
    ledger.note(present(["y": 1_796_000_000_000, "boot1970": 7_000, "again1970": 5_000]))
    #expect(ledger.ids == ids("y boot1970 again1970"))
  }

  @Test func outlivesTheProcessAndDamage() throws {
    let folder = try TemporaryFolder()
    var ledger = ArchiveLedger(root: folder.path)
    #expect(ledger.ids == [])
    ledger.note(present(["b": 2, "a": 9]))
    ledger.store(root: folder.path)
    #expect(!ledger.hasChanged)
    #expect(ArchiveLedger(root: folder.path).ids == ids("b a"))
    try Data("b\n../../etc\n\u{0}\nb\na".utf8).write(to: folder.url("order"))
    #expect(ArchiveLedger(root: folder.path).ids == ids("b a"))
  }
}
