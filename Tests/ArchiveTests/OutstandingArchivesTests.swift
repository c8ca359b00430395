import Archive
import Foundation
import TestSupport
import SystemSupport
import Signalling
import Testing

@Suite struct OutstandingArchivesTests {
  private static let ids = ["0b0c5c4e9a534c8e8a3e4f6f1f0a7d11", "1b0c5c4e9a534c8e8a3e4f6f1f0a7d12"]

  @Test func aListOutlastsTheDaemon() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let list = OutstandingArchives(path: folder.path + "/list")
    for id in Self.ids { list.add(try #require(ArchiveID(id))) }
    try list.save()
    let again = OutstandingArchives(path: folder.path + "/list")
    #expect(again.all.map(\.text) == Self.ids && again.fault == nil)
  }

  /// Whole lines are kept in mind, and the file under another name.
  @Test(arguments: [("\(ids[0])\n\(ids[1].prefix(8))", [ids[0]]), ("no id!\n\(ids[1])\n", [ids[1]]), ("\u{0}", [])])
  func aDamagedListIsKept(content: String, known: [String]) throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let path = folder.path + "/list"
    try Data(content.utf8).write(to: URL(filePath: path))
    let list = OutstandingArchives(path: path)
    #expect(list.all.map(\.text) == known)
    #expect(list.fault?.kind == .damaged(keptAs: path + ".damaged"))
    #expect(try Data(contentsOf: URL(filePath: path + ".damaged")) == Data(content.utf8))
    try list.save()
    #expect(OutstandingArchives(path: path).fault == nil)
  }

  @Test func anEmptyListIsOne() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    try Data().write(to: URL(filePath: folder.path + "/list"))
    #expect(OutstandingArchives(path: folder.path + "/list").fault == nil)
  }
}
