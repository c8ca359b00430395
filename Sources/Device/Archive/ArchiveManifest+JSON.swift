public import FoundationEssentials

extension ArchiveManifest {
  /// A larger `archive.json` is taken for damaged.
  static let maximumByteCount = 4 * 1024 * 1024

  /// More files than all streams of a call can have; each costs a look at the disk.
  static let mostFiles = 10_000

  /// Reads a manifest and checks that its names are safe to be used as paths.
  public init(json: Data) throws(ArchiveError) {
    guard json.count <= Self.maximumByteCount else { throw .manifestUnreadable("too large") }
    do {
      self = try JSONDecoder().decode(ArchiveManifest.self, from: json)
    } catch {
      throw .manifestUnreadable("not JSON of the right shape")
    }
    guard files.count <= Self.mostFiles else { throw .manifestUnreadable("it names too many files") }
    var names: Set<String> = []
    for file in files {
      guard file.filename.isSafeFileName, file.streamId.utf8.count <= 128 else { throw .invalidName(file.filename) }
      guard names.insert(file.filename).inserted else {
        throw .manifestUnreadable("it names \(file.filename) twice")
      }
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
