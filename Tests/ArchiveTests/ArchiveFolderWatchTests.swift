import Foundation
import Glibc
import TestSupport
import Testing

@testable import Archive

@Suite struct ArchiveFolderWatchTests {
  @Test func aFolderThatCannotBeMadeIsToldOnceAndMendsItself() throws {
    let folder = try TemporaryFolder()
    let obstacle = folder.path + "/disk"
    try Data().write(to: URL(filePath: obstacle))
    let watch = ArchiveFolderWatch(store: ArchiveStore(root: obstacle + "/archives"), minimumFree: 0)
    guard case .broken(let problem)? = watch.check() else {
      Issue.record("nothing was found")
      return
    }
    #expect(problem.contains(obstacle) && watch.problem == problem)
    #expect(watch.check() == nil)
    try FileManager.default.removeItem(atPath: obstacle)
    #expect(watch.check() == .recovered)
    #expect(watch.problem == nil)
    #expect(watch.check() == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: obstacle + "/archives") == [])
  }

  @Test func aFolderThatLacksRightsIsFound() throws {
    let folder = try TemporaryFolder()
    let store = ArchiveStore(root: folder.path + "/archives")
    #expect(store.findProblem(minimumFree: 0, isThorough: true) == nil)
    // Root may write everywhere: /proc takes no files from anybody.
    let problem = ArchiveStore(root: "/proc").findProblem(minimumFree: 0, isThorough: true)
    #expect(try #require(problem).description.hasPrefix("/proc: "))
  }

  @Test func aFullDiskIsFound() throws {
    let folder = try TemporaryFolder()
    let problem = ArchiveStore(root: folder.path).findProblem(minimumFree: .max, isThorough: false)
    #expect(try #require(problem).description.contains("not enough disk space"))
  }

  @Test func nothingIsFollowedInPlaceOfTheTestFile() throws {
    let folder = try TemporaryFolder()
    try Data("mine".utf8).write(to: URL(filePath: folder.path + "/other"))
    try FileManager.default.createDirectory(atPath: folder.path + "/archives", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/archives/.probe", withDestinationPath: folder.path + "/other")
    let store = ArchiveStore(root: folder.path + "/archives")
    #expect(store.findProblem(minimumFree: 0, isThorough: true) == nil)
    #expect(try Data(contentsOf: URL(filePath: folder.path + "/other")) == Data("mine".utf8))
  }

  @Test func aDiskThatIsNotMountedIsFound() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/my disk/archives", withIntermediateDirectories: true)
    let root = folder.path + "/my disk/archives"
    let place = folder.path + "/my\\040disk"
    #expect(MountTable.unmounted(above: root, table: "") == nil)
    let table = "# comment /x ext4\nUUID=1 / ext4\nUUID=2 \(place)/ ext4 nofail 0 2\nproc /proc proc\nbad\n"
    #expect(MountTable.unmounted(above: root, table: table) == folder.path + "/my disk")
    #expect(MountTable.unmounted(above: folder.path + "/my disks", table: table) == nil)
    #expect(MountTable.unmounted(above: "/proc/x", table: table) == nil)
  }
}
