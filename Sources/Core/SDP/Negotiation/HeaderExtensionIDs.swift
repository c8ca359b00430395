/// The ids of header extensions that both sides know; nil where one does not.
public struct HeaderExtensionIDs: Sendable, Hashable {
  /// Names the `m=` line that a packet belongs to (RFC 9143 §15). This id and the others: 1 to 14, or to 255 in the two-byte form (RFC 8285).
  public var mid: UInt8?
  /// When a packet left, in 24 bits (`abs-send-time`).
  public var absoluteSendTime: UInt8?
  /// Counts the packets of all streams (draft-holmer-rmcat-transport-wide-cc-extensions-01).
  public var transportWideSequenceNumber: UInt8?
  /// How loud a packet of sound is (RFC 6464).
  public var audioLevel: UInt8?
  /// Names the stream of a simulcast that a packet belongs to (`rid`, RFC 8852).
  public var streamID: UInt8?

  /// No extension, unless it is named.
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
  /// Which extension; all of them, in the order in which descriptions list them.
  enum Name: CaseIterable {
    case audioLevel, absoluteSendTime, transportWideSequenceNumber, mid, streamID
  }

  static let midURI = "urn:ietf:params:rtp-hdrext:sdes:mid"
  static let absoluteSendTimeURI = "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
  static let transportWideURI = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
  static let audioLevelURI = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
  static let streamIDURI = "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"

  static func uri(_ name: Name) -> String {
    switch name {
    case .audioLevel: audioLevelURI
    case .absoluteSendTime: absoluteSendTimeURI
    case .transportWideSequenceNumber: transportWideURI
    case .mid: midURI
    case .streamID: streamIDURI
    }
  }

  subscript(_ name: Name) -> UInt8? {
    get {
      switch name {
      case .audioLevel: audioLevel
      case .absoluteSendTime: absoluteSendTime
      case .transportWideSequenceNumber: transportWideSequenceNumber
      case .mid: mid
      case .streamID: streamID
      }
    }
    set {
      switch name {
      case .audioLevel: audioLevel = newValue
      case .absoluteSendTime: absoluteSendTime = newValue
      case .transportWideSequenceNumber: transportWideSequenceNumber = newValue
      case .mid: mid = newValue
      case .streamID: streamID = newValue
      }
    }
  }

  /// Drops those without the same id in `other`.
  mutating func formIntersection(_ other: HeaderExtensionIDs) {
    for name in Name.allCases where self[name] != other[name] { self[name] = nil }
  }
}
