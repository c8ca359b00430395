public import Signalling

/// The signed permissions of each party in a session; each is also sent to the other party.
public struct PartyTokens: Sendable {
  public var caller: String
  public var receiver: String

  public init(caller: String, receiver: String) {
    self.caller = caller
    self.receiver = receiver
  }
}

/// What a caller asks for, with what the hub adds to it.
public struct CallPlacement: Sendable {
  public var sessionID: SessionID
  public var caller: Principal
  public var receiver: Principal
  public var request: SessionRequest
  public var callerRole: SessionRole
  public var receiverRole: SessionRole
  public var tokens: PartyTokens
  public var receiverICEServers: [ICEServer]
  /// Metres, when both positions are known.
  public var distance: Double?
  /// See ``CallContext/ringsPhones``.
  public var ringsPhones: Bool
  /// When the hub ends it, whatever the parties do.
  public var endsAt: Instant?

  public init(
    sessionID: SessionID, caller: Principal, request: SessionRequest, context: CallContext, tokens: PartyTokens,
    receiverICEServers: [ICEServer], endsAt: Instant? = nil
  ) {
    self.endsAt = endsAt
    self.sessionID = sessionID
    self.caller = caller
    receiver = context.receiver
    self.request = request
    callerRole = context.callerRole
    receiverRole = context.receiverRole
    self.tokens = tokens
    self.receiverICEServers = receiverICEServers
    distance = context.distance
    ringsPhones = context.ringsPhones
  }
}

/// What is kept of a ``SessionRequest`` to recognise it: of its offer no more than length and hash (FNV-1a).
struct RequestMark: Codable, Sendable, Equatable {
  var receiverID: String
  var isAudio: Bool
  var isVideo: Bool
  var offerLength: Int
  var offerHash: UInt64

  init(_ request: SessionRequest) {
    receiverID = request.receiverID
    isAudio = request.isAudio
    isVideo = request.isVideo
    offerLength = request.offer.utf8.count
    offerHash = request.offer.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
