public import TransportCrypto

/// The keys of one direction that are derived from its master key (RFC 3711 §4.3, RFC 7714 §11).
public struct SessionKeys: Sendable {
  /// The keys for one kind of packet, RTP or RTCP.
  public struct Set: Sendable {
    /// 16 or 32 octets for AES.
    public var encryption: [UInt8]
    /// 14 octets for counter mode, 12 for GCM.
    public var salt: [UInt8]
    /// 20 octets; empty for ciphers that authenticate themselves.
    public var authentication: [UInt8]

    /// Takes the values unchecked.
    public init(encryption: [UInt8], salt: [UInt8], authentication: [UInt8]) {
      self.encryption = encryption
      self.salt = salt
      self.authentication = authentication
    }
  }

  /// For RTP packets.
  public var rtp: Set
  /// For RTCP compounds.
  public var rtcp: Set

  /// Derives both sets; nil when `master` has the wrong length.
  ///
  /// - Parameters:
  ///   - master: master key followed by master salt.
  ///   - keystream: this many octets of AES in counter mode, under a key and from a vector on.
  public init?<Failure: Error>(
    profile: SRTPProfile, master: [UInt8],
    keystream: (_ key: [UInt8], _ vector: UInt128, _ count: Int) throws(Failure) -> [UInt8]
  ) throws(Failure) {
    let lengths = profile.keyLengths
    guard master.count == lengths.key + lengths.salt else { return nil }
    let key = Array(master.prefix(lengths.key))
    let salt = Array(master.suffix(lengths.salt))
    func derive(_ label: UInt8, _ count: Int) throws(Failure) -> [UInt8] {
      try count == 0 ? [] : keystream(key, Self.vector(salt: salt, label: label), count)
    }
    let authentication = profile == .aes128CMHMACSHA1_80 ? 20 : 0
    rtp = Set(
      encryption: try derive(0, lengths.key), salt: try derive(2, lengths.salt),
      authentication: try derive(1, authentication))
    rtcp = Set(
      encryption: try derive(3, lengths.key), salt: try derive(5, lengths.salt),
      authentication: try derive(4, authentication))
  }

  /// The label's place is seven octets before the end of a 14-octet salt; a shorter salt is followed by zeros.
  private static func vector(salt: [UInt8], label: UInt8) -> UInt128 {
    InitializationVector.salt(salt) ^ UInt128(label) << 64
  }
}
