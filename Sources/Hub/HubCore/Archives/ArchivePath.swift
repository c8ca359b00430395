public import Signalling

/// What is asked of a device's archives: the list, one manifest, or one file.
public struct ArchivePath: Sendable, Hashable {
  public var archiveID: ArchiveID?
  public var file: String?

  /// Refuses names that could lead out of the archive's folder.
  public init(archiveID: String? = nil, file: String? = nil) throws(HubRefusal) {
    let id = archiveID.flatMap { ArchiveID($0) }
    guard (id == nil) == (archiveID == nil) else { throw .invalid(field: "archiveID", reason: "not an archive's id") }
    if let file, !Self.isSafe(file) { throw .invalid(field: "file", reason: "not a file's name") }
    self.archiveID = id
    self.file = file
  }

  /// As the device's ``Signalling/RequestEvent`` has it.
  public var text: String { (["archives"] + [archiveID?.text, file].compactMap(\.self)).joined(separator: "/") }

  private static func isSafe(_ name: String) -> Bool {
    let isPlain = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
        true
      default: false
      }
    }
    return isPlain && (1...128).contains(name.utf8.count) && !name.hasPrefix(".")
  }
}
