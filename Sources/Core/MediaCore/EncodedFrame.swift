/// What a stream carries.
public enum MediaKind: UInt8, Sendable, Hashable, CaseIterable {
  case audio = 0
  case video = 1
}

/// When and under which numbers a received packet of sound came, as a jitter buffer needs it.
public struct SoundArrival: Sendable, Hashable {
  public var instant: MonotonicInstant
  /// RTP timestamp, in units of the stream's clock (48 kHz for Opus).
  public var timestamp: UInt32
  /// RTP sequence number.
  public var sequenceNumber: UInt16

  @inlinable
  public init(instant: MonotonicInstant, timestamp: UInt32, sequenceNumber: UInt16) {
    self.instant = instant
    self.timestamp = timestamp
    self.sequenceNumber = sequenceNumber
  }
}

/// Describes one encoded frame (a VP8 frame or an Opus packet); the payload travels beside it.
public struct EncodedFrameHeader: Sendable, Hashable {
  /// Opus for audio, VP8 for video.
  public var kind: MediaKind
  /// When the first sample or the image was captured, on the media timeline.
  public var timestamp: MonotonicInstant
  /// How long the frame is played or shown.
  public var duration: TimeSpan
  /// Always true for audio: every Opus packet can be decoded from.
  public var isKeyFrame: Bool
  /// VP8 temporal layer, 0 being the base; 0 for audio.
  public var temporalLayer: UInt8
  /// No later frame refers to this one, so leaving it out harms no other.
  public var isDiscardable: Bool
  /// Counts frames of the stream from 0; a gap means that frames were dropped before this one.
  public var number: UInt32
  /// Frame size in pixels; 0 for audio.
  public var width: UInt16
  /// See ``width``.
  public var height: UInt16
  /// How loud the packet is, in decibels below full scale (RFC 6464); nil for video and where unknown.
  public var soundLevel: UInt8?
  /// For a received audio packet on its way to a jitter buffer, which relies on this alone; nil otherwise.
  public var arrival: SoundArrival?
  /// Of audio that is sent: 0 is the device's own, which every session may receive; another number marks a mix made for
  /// the one session that has been given it.
  public var mix: UInt8

  /// Takes the values unchecked.
  @inlinable
  public init(
    kind: MediaKind, timestamp: MonotonicInstant, duration: TimeSpan, isKeyFrame: Bool, temporalLayer: UInt8 = 0,
    isDiscardable: Bool = false, number: UInt32, width: UInt16 = 0, height: UInt16 = 0,
    soundLevel: UInt8? = nil, arrival: SoundArrival? = nil, mix: UInt8 = 0
  ) {
    self.kind = kind
    self.timestamp = timestamp
    self.duration = duration
    self.isKeyFrame = isKeyFrame
    self.temporalLayer = temporalLayer
    self.isDiscardable = isDiscardable
    self.number = number
    self.width = width
    self.height = height
    self.soundLevel = soundLevel
    self.arrival = arrival
    self.mix = mix
  }
}
