import Foundation
import SystemSupport
import Testing

struct PrivateFileTests {
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "private-files-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  @Test func whatIsReplacedIsReadAndNobodyElseMay() throws {
    try withFolder { folder in
      let path = folder.appending(path: "state").path
      #expect(try PrivateFile.read(path, limit: 10) == nil)
      for octets in [[1, 2, 3], [], [UInt8](repeating: 7, count: 100_000)] as [[UInt8]] {
        try PrivateFile.replace(path, with: octets)
        let contents = try #require(try PrivateFile.read(path, limit: 200_000))
        #expect(contents.octets == octets && !contents.isOpenToOthers)
      }
      #expect(try PrivateFile.read(path, limit: 10)?.octets.count == 10)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["state"])
    }
  }

  @Test func aFileThatOthersMayReadIsToldFromOneThatTheyMayNot() throws {
    try withFolder { folder in
      let path = folder.appending(path: "key").path
      try Data("secret".utf8).write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
      #expect(try PrivateFile.read(path, limit: 100)?.isOpenToOthers == true)
    }
  }

  @Test func aFileThatIsRewrittenKeepsModeAndLink() throws {
    try withFolder { folder in
      let (path, link) = (folder.appending(path: "settings").path, folder.appending(path: "link").path)
      try Data("old".utf8).write(to: URL(filePath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
      try PrivateFile.rewrite(link, with: Array("new".utf8))
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o640)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["link", "settings"])
      #expect(throws: SystemCallError.self) { try PrivateFile.rewrite("\(path).none", with: [1]) }
    }
  }

  @Test func failuresNameTheSystemCallAndLeaveNothing() throws {
    try withFolder { folder in
      let missing = folder.appending(path: "none/state").path
      #expect(throws: SystemCallError.self) { try PrivateFile.replace(missing, with: [1]) }
      #expect(throws: SystemCallError.self) { try PrivateFile.replace(folder.path, with: [1]) }
      #expect(throws: SystemCallError.self) { try PrivateFile.read(folder.path, limit: 10) }
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(left.isEmpty)
      #expect(!FileManager.default.fileExists(atPath: "\(folder.path).\(getpid()).new"))
    }
  }
}
