/// A track of a file that ``WebMMuxer`` makes; its number is its place in the list, from 1.
public struct WebMMuxedTrack: Hashable, Sendable {
  /// Players show it where one chooses between tracks.
  public var name: String
  /// Its video or audio parameters.
  public var media: WebMTrackMedia
  /// Whether players select it by default.
  public var isDefault: Bool

  /// Takes the values unchecked.
  public init(name: String, media: WebMTrackMedia, isDefault: Bool) {
    self.name = name
    self.media = media
    self.isDefault = isDefault
  }

  var isVideo: Bool { if case .video = media { true } else { false } }
}
