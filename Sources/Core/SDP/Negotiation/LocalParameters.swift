public import MediaCore
public import TransportCrypto

/// What this side can do with one kind of media.
public struct LocalMedia: Sendable, Hashable {
  /// Audio or video.
  public var kind: MediaKind
  /// Whether there is something to send.
  public var sends: Bool
  /// Whether to receive.
  public var receives: Bool
  /// The source (SSRC) to send from.
  public var ssrc: UInt32
  /// The source of retransmissions; nil to send none over RTX.
  public var rtxSSRC: UInt32?
  /// The canonical name of the side, the same for all its sources (RFC 3550 §6.5.1).
  public var cname: String
  /// The stream and track that the peer sees (`a=msid`).
  public var streamID: String
  /// See ``streamID``.
  public var trackID: String

  /// Takes the values unchecked.
  public init(
    kind: MediaKind, sends: Bool, receives: Bool, ssrc: UInt32, rtxSSRC: UInt32? = nil, cname: String,
    streamID: String, trackID: String
  ) {
    self.kind = kind
    self.sends = sends
    self.receives = receives
    self.ssrc = ssrc
    self.rtxSSRC = rtxSSRC
    self.cname = cname
    self.streamID = streamID
    self.trackID = trackID
  }

  /// What this side would agree to.
  var direction: MediaDirection { MediaDirection(sends: sends, receives: receives) }
}

/// The local facts that a description of this side needs.
public struct LocalParameters: Sendable {
  /// A random number below 2^63; the same in all descriptions of a session.
  public var sessionID: UInt64
  /// One more in each further description of the session.
  public var sessionVersion: UInt64
  /// `a=ice-ufrag`: 4 to 256 ICE characters.
  public var iceUsernameFragment: String
  /// `a=ice-pwd`: 22 to 256 ICE characters.
  public var icePassword: String
  /// The fingerprint of the DTLS certificate.
  public var fingerprint: CertificateFingerprint
  /// Where this side may be reached, as far as it is known.
  public var candidates: [Candidate]
  /// ``candidates`` are all there will be.
  public var hasAllCandidates: Bool
  /// At most one of each kind.
  public var media: [LocalMedia]

  /// Takes the values unchecked.
  public init(
    sessionID: UInt64, sessionVersion: UInt64 = 1, iceUsernameFragment: String, icePassword: String,
    fingerprint: CertificateFingerprint, candidates: [Candidate], hasAllCandidates: Bool, media: [LocalMedia]
  ) {
    self.sessionID = sessionID
    self.sessionVersion = sessionVersion
    self.iceUsernameFragment = iceUsernameFragment
    self.icePassword = icePassword
    self.fingerprint = fingerprint
    self.candidates = candidates
    self.hasAllCandidates = hasAllCandidates
    self.media = media
  }
}
