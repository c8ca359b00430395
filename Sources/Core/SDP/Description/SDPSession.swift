public import TransportCrypto

/// A parsed session description (RFC 8866) as WebRTC uses it (RFC 8829).
///
/// Attributes given at session level are already inherited by ``media``.
public struct SDPSession: Sendable, Hashable {
  /// `sess-id` of the `o=` line, as text, since some senders exceed 64 bits; empty where there is none.
  public var sessionID = ""
  /// `sess-version` of the `o=` line, as text.
  public var sessionVersion = ""
  /// The media ids of each BUNDLE group (RFC 9143), in order.
  public var bundleGroups: [[String]] = []
  /// `a=ice-lite`: the side makes no checks (RFC 8445 §2.5).
  public var isICELite = false
  /// The media descriptions, in their order.
  public var media: [SDPMedia] = []
  /// Malformed lines that nothing depends on, the first ones if there are many: they were skipped.
  public var skippedLines: [SDPError] = []

  /// Without media.
  public init() {}
}

/// Who may send, seen from the side that wrote the description (RFC 8866 §6.7).
public enum MediaDirection: String, Sendable, Hashable {
  case sendrecv
  case sendonly
  case recvonly
  case inactive

  /// The direction of a side that does this.
  public init(sends: Bool, receives: Bool) {
    self = sends ? (receives ? .sendrecv : .sendonly) : (receives ? .recvonly : .inactive)
  }

  /// Whether the side that wrote it sends.
  public var sends: Bool { self == .sendrecv || self == .sendonly }
  /// Whether the side that wrote it receives.
  public var receives: Bool { self == .sendrecv || self == .recvonly }
  /// The same direction seen from the other side.
  public var reversed: MediaDirection { MediaDirection(sends: receives, receives: sends) }
}

/// The `a=setup` attribute: who opens the DTLS association (RFC 8842 §5).
public enum SDPSetup: String, Sendable, Hashable {
  case active
  case passive
  case actpass
  case holdconn
}

/// The attributes that describe a transport; each may stand at session level.
public struct SDPTransport: Sendable, Hashable {
  /// `a=ice-ufrag` (RFC 8839 §5.4).
  public var iceUsernameFragment: String?
  /// `a=ice-pwd` (RFC 8839 §5.4).
  public var icePassword: String?
  /// `a=ice-options`, for example `trickle`.
  public var iceOptions: [String] = []
  /// `a=fingerprint` lines (RFC 8122 §5).
  public var fingerprints: [CertificateFingerprint] = []
  /// `a=setup`; nil where it is not given.
  public var setup: SDPSetup?

  /// Nothing is given.
  public init() {}

  /// Fills missing values with the session's.
  mutating func inherit(_ session: SDPTransport) {
    iceUsernameFragment = iceUsernameFragment ?? session.iceUsernameFragment
    icePassword = icePassword ?? session.icePassword
    if iceOptions.isEmpty { iceOptions = session.iceOptions }
    if fingerprints.isEmpty { fingerprints = session.fingerprints }
    setup = setup ?? session.setup
  }
}
