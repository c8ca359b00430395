import Foundation
import SystemSupport
import Testing

@Suite("Names in a folder")
struct FolderEntriesTests {
  @Test func areSortedWithoutHiddenOnes() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "folder-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in ["b", ".hidden", "a"] { try Data().write(to: folder.appending(path: name)) }
    #expect(FolderEntries.names(in: folder.path) == ["a", "b"])
    #expect(FolderEntries.names(in: folder.path + "/none") == [])
  }
}
