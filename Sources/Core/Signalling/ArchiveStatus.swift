/// OpenTok's states of an archive, as far as a device knows them.
public enum ArchiveStatus: String, Codable, Sendable, CaseIterable {
  /// It is being recorded, or was when the power went.
  case started
  /// Recording has ended; the files may not be complete yet.
  case stopped
  /// Complete and ready to be played.
  case available
  /// Recording ended early because of an error; the recording until then can be played. Or it was interrupted
  /// before there was anything.
  case failed
}

/// A limit that ends an archive by itself; its content is complete.
public enum ArchiveLimit: String, Sendable {
  /// Too little is left on the disk; it may come back.
  case space = "not enough disk space"
  /// One recording of a call takes as much as one may; another one would take more.
  case share = "it took half of the space that archives have"
}
