/// OpenTok's states of an archive, as far as a device knows them.
public enum ArchiveStatus: String, Codable, Sendable {
  /// It is being recorded, or was when the power went.
  case started
  /// Recording has ended; the files may not be complete yet.
  case stopped
  /// Complete and ready to be played.
  case available
  /// Recording ended early because of an error; what was recorded until then can be played. Or it was interrupted
  /// before there was anything.
  case failed
}
