import DeviceActions
import Glibc
import Testing

@Suite struct ActionImageFolderTests {
  private let path = "/tmp/action-images-\(UInt64.random(in: 0 ... .max))"

  private func names() -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  private func remove() {
    for name in names() { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  private func numbers(_ names: [String]) -> [Int] { names.compactMap { Int($0.split(separator: ".")[1]) }.sorted() }

  @Test func refusalsPushOutNoneButRefusals() throws {
    defer { remove() }
    let folder = ActionImageFolder(path: path, admitted: 4, refused: 3)
    let opened = try folder.store([1], of: "open-door", .admitted, at: 1_795_521_600)
    for _ in 0..<50 { _ = try folder.store([2], of: "open-door", .refused, at: 1_795_521_700) }
    #expect(names().count == 4)
    #expect(access(opened, R_OK) == 0)
    #expect(opened.hasSuffix("/20261124T120000Z-open-door.000001.jpg"))
    #expect(numbers(names()) == [1, 49, 50, 51])
    for _ in 0..<10 { _ = try folder.store([3], of: "open-door", .admitted, at: 1_795_521_800) }
    #expect(names().count { $0.contains(".refused.") } == 3)
    #expect(names().count == 7)
  }

  /// The new one must be there, for the journal names it.
  @Test func aClockThatIsSetBackDeletesNothingNew() throws {
    defer { remove() }
    let folder = ActionImageFolder(path: path, admitted: 3, refused: 1)
    for time in [3_000, 2_000, 1_000, 1_000, 0] as [Int64] {
      let file = try folder.store([1], of: "open-door", .admitted, at: 1_795_521_600 + time)
      #expect(access(file, R_OK) == 0)
    }
    #expect(numbers(names()) == [3, 4, 5])
  }

  @Test func imagesOfEarlierVersionsAreTheOldest() throws {
    defer { remove() }
    mkdir(path, 0o750)
    for name in ["20261123T215012Z-open-door.jpg", "20270123T215012Z-open-door.jpg", "notes.txt"] {
      close(open("\(path)/\(name)", O_CREAT | O_WRONLY, 0o640))
    }
    let folder = ActionImageFolder(path: path, admitted: 2, refused: 1)
    _ = try folder.store([1], of: "open-door", .admitted, at: 0)
    #expect(names() == ["19700101T000000Z-open-door.000001.jpg", "20270123T215012Z-open-door.jpg", "notes.txt"])
  }
}
