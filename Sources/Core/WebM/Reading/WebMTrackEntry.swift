public import MediaCore

/// A track as a file's header declares it (RFC 9559 §5.1.4).
public struct WebMTrackEntry: Hashable, Sendable {
  /// Names the track in blocks; 1 to 126.
  public var number: UInt8
  /// `V_VP8`, `A_OPUS` …
  public var codec: String
  /// Name, in UTF-8; empty if the file gives none.
  public var name: String
  /// FlagDefault, which is true where the file does not say (RFC 9559 §5.1.4.1.5).
  public var isDefault: Bool
  /// The video or audio parameters; `nil` for other kinds of tracks.
  public var media: WebMTrackMedia?

  /// The kind of a track that archives can hold: VP8 or Opus.
  public var kind: MediaKind? {
    switch (media, codec) {
    case (.video, "V_VP8"): .video
    case (.audio, "A_OPUS"): .audio
    default: nil
    }
  }
}

/// What a track carries.
public enum WebMTrackMedia: Hashable, Sendable {
  case video(WebMVideoTrack)
  case audio(WebMAudioTrack)
}

extension WebMTrackEntry {
  /// Reads the content of a TrackEntry; `nil` when it has no number that a block could name in one byte.
  init?(_ content: RawSpan) {
    var fields = TrackFields()
    guard (try? fields.read(content)) != nil, (1...126).contains(fields.number) else { return nil }
    self.init(
      number: UInt8(clamping: fields.number), codec: fields.codec, name: fields.name, isDefault: fields.isDefault,
      media: fields.media)
  }
}

/// The elements of a TrackEntry, in any order.
private struct TrackFields {
  var number: UInt64 = 0
  var type: UInt64 = 0
  var codec = ""
  var name = ""
  var isDefault = true
  var video = WebMVideoTrack(width: 0, height: 0)
  var audio = WebMAudioTrack(channels: 1)

  var media: WebMTrackMedia? {
    switch type {
    case 1: .video(video)
    case 2: .audio(audio)
    default: nil
    }
  }

  mutating func read(_ content: RawSpan, depth: Int = 0) throws(EBMLError) {
    var reader = ByteReader(content)
    while !reader.isAtEnd {
      let (id, size) = try reader.readWholeElementHeader()
      guard let content = try? reader.readBytes(size) else { throw .unexpectedEnd }
      let isNested = depth == 0 && (id == .video || id == .audio)
      try isNested ? read(content, depth: 1) : readField(id, content)
    }
  }

  private mutating func readField(_ id: ElementID, _ content: RawSpan) throws(EBMLError) {
    switch id {
    case .codecID: codec = Self.text(content)
    case .name: name = Self.text(content)
    case .trackNumber: number = try Self.unsigned(content)
    case .trackType: type = try Self.unsigned(content)
    case .flagDefault: isDefault = try Self.unsigned(content) != 0
    case .pixelWidth: video.width = UInt16(clamping: try Self.unsigned(content))
    case .pixelHeight: video.height = UInt16(clamping: try Self.unsigned(content))
    case .channels: audio.channels = UInt8(clamping: try Self.unsigned(content))
    default: break
    }
  }

  private static func unsigned(_ content: RawSpan) throws(EBMLError) -> UInt64 {
    var reader = ByteReader(content)
    guard content.byteCount <= 8 else { throw .invalidSize }
    return try reader.readUnsigned(width: content.byteCount)
  }

  /// Text up to its terminating zeros, if any; long ones are cut.
  private static func text(_ content: RawSpan) -> String {
    let bytes = content.extracting(0..<min(content.byteCount, 256)).copiedToArray()
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}
