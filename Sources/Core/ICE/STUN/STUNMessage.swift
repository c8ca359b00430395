public import MediaCore

/// What a STUN message says, as far as ICE and a TURN client care.
///
/// The struct holds values and ranges into the datagram, never the bytes, so parsing allocates nothing; functions
/// that need the bytes take the same datagram again. A message that parses is well formed and, if it carries a
/// FINGERPRINT, intact; only ``hasValidIntegrity(in:password:crypto:)`` says that it is authentic.
public struct STUNMessage: Sendable {
  /// The first 20 octets.
  public let header: STUNHeader
  /// USERNAME's value.
  public internal(set) var username: Range<Int>?
  /// Where the MESSAGE-INTEGRITY attribute starts.
  public internal(set) var integrityOffset: Int?
  /// There is a FINGERPRINT, and it is right.
  public internal(set) var hasFingerprint = false
  /// XOR-MAPPED-ADDRESS: where the server saw the request come from.
  public internal(set) var mappedAddress: TransportAddress?
  /// PRIORITY of a check (RFC 8445 §7.1.1).
  public internal(set) var priority: UInt32?
  /// USE-CANDIDATE is present: the pair is nominated.
  public internal(set) var useCandidate = false
  /// The tie-breaker of ICE-CONTROLLING.
  public internal(set) var controlling: UInt64?
  /// The tie-breaker of ICE-CONTROLLED.
  public internal(set) var controlled: UInt64?
  /// ERROR-CODE (RFC 8489 §14.8): 300 to 699, where the server keeps to it.
  public internal(set) var errorCode: Int?
  /// REALM's and NONCE's values (RFC 8489 §14.9, §14.10).
  public internal(set) var realm: Range<Int>?
  /// NONCE's value (RFC 8489 §14.10).
  public internal(set) var nonce: Range<Int>?
  /// An allocation's lifetime in seconds.
  public internal(set) var lifetime: UInt32?
  /// XOR-RELAYED-ADDRESS: what a TURN server allocated.
  public internal(set) var relayedAddress: TransportAddress?
  /// XOR-PEER-ADDRESS: the sender of a Data indication.
  public internal(set) var peerAddress: TransportAddress?
  /// DATA's value: what a peer sent (RFC 8656 §18.4).
  public internal(set) var data: Range<Int>?
  /// Comprehension-required attributes that are not known here.
  public internal(set) var unknownAttributes = STUNUnknownAttributes()

  /// Parses a whole datagram.
  public init(_ datagram: RawSpan) throws(STUNParseError) {
    header = try STUNHeader(datagram)
    var offset = STUNHeader.size
    while offset < datagram.byteCount {
      guard let attribute = STUNAttribute(at: offset, in: datagram) else { throw .truncatedAttribute }
      try take(attribute, in: datagram)
      offset = attribute.end
    }
  }

  /// After MESSAGE-INTEGRITY nothing but FINGERPRINT counts, since nothing else is protected (RFC 8489 §14.5).
  private mutating func take(_ attribute: STUNAttribute, in datagram: RawSpan) throws(STUNParseError) {
    guard !hasFingerprint else { throw .wrongFingerprint }
    if attribute.type == .fingerprint {
      guard Self.isFingerprintCorrect(attribute, in: datagram) else { throw .wrongFingerprint }
      hasFingerprint = true
    } else if integrityOffset == nil {
      var reader = ByteReader(datagram.extracting(attribute.value))
      guard let isWellFormed = try? store(attribute, &reader), isWellFormed else {
        throw .malformedAttribute(attribute.type)
      }
    }
  }

  /// The first of two equal attributes counts (RFC 8489 §14).
  private mutating func store(_ attribute: STUNAttribute, _ value: inout ByteReader) throws(UnexpectedEnd) -> Bool {
    switch attribute.type {
    case .username: if username == nil { username = attribute.value }
    case .messageIntegrity: integrityOffset = attribute.start
    case .xorMappedAddress, .xorRelayedAddress, .xorPeerAddress: try storeAddress(attribute.type, &value)
    case .priority: if priority == nil { priority = try value.readUInt32() }
    case .useCandidate: useCandidate = true
    case .iceControlling: if controlling == nil { controlling = try value.readUInt64() }
    case .iceControlled: if controlled == nil { controlled = try value.readUInt64() }
    case .errorCode: if errorCode == nil { errorCode = try value.readErrorCode() }
    case .realm: if realm == nil { realm = attribute.value }
    case .nonce: if nonce == nil { nonce = attribute.value }
    case .lifetime: if lifetime == nil { lifetime = try value.readUInt32() }
    case .data: if data == nil { data = attribute.value }
    default: noteUnknown(attribute.type)
    }
    return attribute.type.fixedLength.map { $0 == attribute.value.count } ?? true
  }

  private mutating func storeAddress(_ type: STUNAttributeType, _ value: inout ByteReader) throws(UnexpectedEnd) {
    let address = try value.readXORAddress(header.transactionID)
    switch type {
    case .xorRelayedAddress: relayedAddress = relayedAddress ?? address
    case .xorPeerAddress: peerAddress = peerAddress ?? address
    default: mappedAddress = mappedAddress ?? address
    }
  }

  private mutating func noteUnknown(_ type: STUNAttributeType) {
    guard type.isComprehensionRequired, !type.isKnownButUnused else { return }
    unknownAttributes.append(type)
  }

  private static func isFingerprintCorrect(_ attribute: STUNAttribute, in datagram: RawSpan) -> Bool {
    var reader = ByteReader(datagram.extracting(attribute.value))
    guard attribute.value.count == 4, attribute.end == datagram.byteCount, let value = try? reader.readUInt32() else {
      return false
    }
    return value == STUNFingerprint.compute(over: datagram.extracting(0..<attribute.start))
  }
}
