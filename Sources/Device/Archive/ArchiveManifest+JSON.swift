public import FoundationEssentials

extension ArchiveManifest {
  /// A larger `archive.json` is taken for damaged.
  static let maximumByteCount = 4 * 1024 * 1024

  /// Reads a manifest and checks that its names are safe to be used as paths.
  public init(json: Data) throws(ArchiveError) {
    guard json.count <= Self.maximumByteCount else { throw .manifestUnreadable("too large") }
    do {
      self = try JSONDecoder().decode(ArchiveManifest.self, from: json)
    } catch {
      throw .manifestUnreadable("not JSON of the right shape")
    }
    guard id.isSafeIdentifier else { throw .invalidName(id) }
    for file in files {
      guard file.filename.isSafeFileName else { throw .invalidName(file.filename) }
    }
  }

  public func json() throws(ArchiveError) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      return try encoder.encode(self) + Data("\n".utf8)
    } catch {
      throw .manifestUnreadable("cannot be encoded")
    }
  }
}
