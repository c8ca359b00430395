public import FoundationEssentials
public import Signalling

extension ArchiveManifest {
  /// A larger `archive.json` is taken for damaged.
  static let maximumByteCount = 4 * 1024 * 1024

  /// More files than all streams of a call can have; each costs a disk access.
  static let maxFiles = 10_000

  /// Reads a manifest and checks that its names are safe to be used as paths.
  public init(json: Data) throws(ArchiveError) {
    guard json.count <= Self.maximumByteCount else { throw .manifestUnreadable("too large") }
    do {
      self = try JSONDecoder().decode(ArchiveManifest.self, from: json)
    } catch {
      throw .manifestUnreadable("not JSON of the right shape")
    }
    guard files.count <= Self.maxFiles else { throw .manifestUnreadable("it names too many files") }
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

extension ArchiveManifest {
  /// Reads the manifest of a folder, whatever archive it is of; `nil` if there is none that can be read.
  init?(readIn folder: borrowing DirectoryHandle) {
    guard let file = try? ArchiveFile(ArchiveFolder.manifestName, in: folder) else { return nil }
    var bytes = [UInt8](
      repeating: 0, count: Int(clamping: min(file.byteCount, UInt64(Self.maximumByteCount) + 1)))
    guard let count = try? file.bytes(at: 0, into: &bytes),
      let manifest = try? ArchiveManifest(json: Data(bytes[0..<count]))
    else { return nil }
    self = manifest
  }
}
