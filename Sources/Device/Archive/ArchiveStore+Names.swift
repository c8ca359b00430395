public import Signalling

extension ArchiveManifest {
  /// Whether people may call an archive so: at most ``Signalling/ArchiveChange/longestName`` bytes of UTF-8, no control
  /// characters.
  public static func isValidName(_ name: String) -> Bool {
    name.utf8.count <= ArchiveChange.longestName
      && name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }
}

extension ArchiveStore {
  /// Gives an archive that is not in use another name, or none.
  public func rename(_ id: ArchiveID, to name: String) throws(ArchiveError) {
    guard ArchiveManifest.isValidName(name) else { throw .invalidName(name) }
    let folder = try open(id, on: try day(of: id))
    var manifest = try folder.manifest()
    guard manifest.name != name else { return }
    manifest.name = name
    try amend(manifest, in: folder)
  }
}
