/// The ids of header extensions that both sides know; nil where one does not.
public struct HeaderExtensionIDs: Sendable, Hashable {
  public var mid: UInt8?
  public var absoluteSendTime: UInt8?
  public var transportWideSequenceNumber: UInt8?
  public var audioLevel: UInt8?
  /// Names the stream of a simulcast that a packet belongs to (`rid`, RFC 8852).
  public var streamID: UInt8?

  public init(
    mid: UInt8? = nil, absoluteSendTime: UInt8? = nil, transportWideSequenceNumber: UInt8? = nil,
    audioLevel: UInt8? = nil, streamID: UInt8? = nil
  ) {
    self.mid = mid
    self.streamID = streamID
    self.absoluteSendTime = absoluteSendTime
    self.transportWideSequenceNumber = transportWideSequenceNumber
    self.audioLevel = audioLevel
  }
}

extension HeaderExtensionIDs {
  typealias Path = WritableKeyPath<HeaderExtensionIDs, UInt8?>

  static let midURI = "urn:ietf:params:rtp-hdrext:sdes:mid"
  static let absoluteSendTimeURI = "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
  static let transportWideURI = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
  static let audioLevelURI = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
  static let streamIDURI = "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"

  /// All of them, in the order in which descriptions list them.
  static var uris: [(Path, String)] {
    [
      (\.audioLevel, audioLevelURI), (\.absoluteSendTime, absoluteSendTimeURI),
      (\.transportWideSequenceNumber, transportWideURI), (\.mid, midURI), (\.streamID, streamIDURI),
    ]
  }

  /// Leaves out what has not the same id in `other`.
  mutating func formIntersection(_ other: HeaderExtensionIDs) {
    for (path, _) in Self.uris where self[keyPath: path] != other[keyPath: path] { self[keyPath: path] = nil }
  }
}
