import ConfigFile
import Foundation
import Testing

@Suite("Reading configuration and secret files")
final class ConfigReadingTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "config-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(at: folder) }

  private func write(_ bytes: [UInt8], mode: Int = 0o600) throws -> String {
    let path = folder.appending(path: "file").path
    try Data(bytes).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }

  @Test("a missing file is named with what to do")
  func missing() {
    let path = folder.appending(path: "absent.toml").path
    let errors = #expect(throws: ConfigErrors.self) { try ConfigDocument(path: path) }
    #expect(
      errors?.description
        == "\(path): cannot read the file: No such file or directory; create it, or name the right file")
  }

  @Test("a file is read and named in its errors")
  func present() throws {
    let path = try write(Array("a = 1\n".utf8))
    let document = try ConfigDocument(path: path)
    #expect(document.entries.map(\.key) == ["a"])
    let errors = #expect(throws: ConfigErrors.self) { try document.read { _ in } }
    #expect(errors?.description == "\(path):1:1: unknown key \"a\"; remove it")
  }

  @Test("what is not UTF-8, a folder and a file too large are refused")
  func unreadable() throws {
    let binary = try write([0x61, 0xFF])
    #expect(throws: ConfigErrors.self) { try ConfigDocument(path: binary) }
    #expect(throws: ConfigErrors.self) { try ConfigDocument(path: self.folder.path) }
    let large = try write([UInt8](repeating: 0x0A, count: ConfigDocument.maximumBytes + 1))
    let errors = #expect(throws: ConfigErrors.self) { try ConfigDocument(path: large) }
    #expect(errors?.description.contains("larger than") == true)
  }

  @Test("a secret is its file's first line, trimmed")
  func secret() throws {
    #expect(try SecretFile.read(path: try write(Array("  s3cret key \r\nrest\n".utf8))) == "s3cret key")
    #expect(try SecretFile.read(path: try write(Array("k".utf8), mode: 0o400)) == "k")
  }

  @Test("a secret that others can read is refused", arguments: [0o640, 0o604, 0o620, 0o644])
  func exposedSecret(mode: Int) throws {
    let path = try write(Array("k".utf8), mode: mode)
    let errors = #expect(throws: ConfigErrors.self) { try SecretFile.read(path: path) }
    let octal = String(mode, radix: 8)
    #expect(
      errors?.description == "\(path): the secret has mode 0\(octal), others can read it; run: chmod 0600 '\(path)'")
  }

  @Test("an empty secret is refused", arguments: ["", "\n", "  \n x"])
  func emptySecret(text: String) throws {
    let path = try write(Array(text.utf8))
    #expect(throws: ConfigErrors.self) { try SecretFile.read(path: path) }
  }
}
