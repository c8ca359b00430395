import ConfigFile
import Foundation
import SettingDocuments
import Testing

/// The samples, manual pages and the reference are made from the settings' descriptions: `make settings` writes them.
struct GeneratedFilesTests {
  private static let top = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

  private static let files: [(path: String, text: String)] =
    SettingDocument.all.flatMap { document in
      [
        ("etc/livesessions/\(document.file)", document.sampleFile),
        ("man/livesessions-\(document.file).5", document.manualPage),
      ]
    } + [("docs/reference/settings.md", SettingDocument.referencePage)]

  @Test("the committed files are what the descriptions make", arguments: files.map(\.path))
  func committed(path: String) throws {
    let text = try #require(Self.files.first { $0.path == path }?.text)
    let file = Self.top.appending(path: path)
    if ProcessInfo.processInfo.environment["WRITE_SETTINGS"] == "1" {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == text, "make settings writes \(path)")
  }

  @Test("each setting has help that ends, and a default or an example", arguments: SettingDocument.all.map(\.file))
  func descriptions(file: String) throws {
    let document = try #require(SettingDocument.all.first { $0.file == file })
    for section in document.sections {
      #expect(Set(section.settings.map(\.name)).count == section.settings.count, "\(section.header)")
      for setting in section.settings {
        let name = "\(section.header) \(setting.name)"
        #expect(setting.help.hasSuffix(".") && setting.help.count { $0 == "`" }.isMultiple(of: 2), "\(name)")
        #expect(setting.defaultText != nil || setting.example != nil, "\(name)")
      }
    }
  }
}
