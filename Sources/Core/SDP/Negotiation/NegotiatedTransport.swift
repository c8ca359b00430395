public import TransportCrypto

/// The agreement for the one transport of all media.
public struct NegotiatedTransport: Sendable, Hashable {
  /// The peer's `a=ice-ufrag`.
  public var remoteUsernameFragment: String
  /// The peer's `a=ice-pwd`.
  public var remotePassword: String
  /// One of them has to fit the certificate that the peer shows (RFC 8122 §5).
  public var remoteFingerprints: [CertificateFingerprint]
  /// All that the peer's description lists; see ``Candidate/isUsable``.
  public var remoteCandidates: [Candidate]
  /// The peer said that there will be no others (`a=end-of-candidates`).
  public var hasAllRemoteCandidates: Bool
  /// The peer takes candidates after the answer (RFC 8838).
  public var canTrickle: Bool
  /// The peer answers connectivity checks and makes none (RFC 8445 §2.5): this side controls, regardless of who offers.
  public var isRemoteLite: Bool
  /// The peer knows BUNDLE.
  public var isBundled: Bool
  /// This side's role.
  public var role: DTLSRole

  /// Takes the values unchecked.
  public init(
    remoteUsernameFragment: String, remotePassword: String, remoteFingerprints: [CertificateFingerprint],
    remoteCandidates: [Candidate] = [], hasAllRemoteCandidates: Bool = false, canTrickle: Bool = true,
    isRemoteLite: Bool = false, isBundled: Bool = true, role: DTLSRole
  ) {
    self.remoteUsernameFragment = remoteUsernameFragment
    self.remotePassword = remotePassword
    self.remoteFingerprints = remoteFingerprints
    self.remoteCandidates = remoteCandidates
    self.hasAllRemoteCandidates = hasAllRemoteCandidates
    self.canTrickle = canTrickle
    self.isRemoteLite = isRemoteLite
    self.isBundled = isBundled
    self.role = role
  }
}

extension NegotiatedTransport {
  /// Whether the peer has restarted ICE (RFC 8839 §4.4.1.1.1).
  public func restartsICE(after earlier: NegotiatedTransport) -> Bool {
    remoteUsernameFragment != earlier.remoteUsernameFragment || remotePassword != earlier.remotePassword
  }
}

extension SDPSession {
  /// Where the transport of all that is bundled with `first` is described: there, or in the group's first description,
  /// on which one that is bundle-only relies (RFC 9143 §7.1.3).
  private func transportSection(of first: NegotiatedMedia) -> SDPMedia {
    let own = media[first.index]
    guard own.isBundleOnly || own.transport.iceUsernameFragment == nil else { return own }
    let group = bundleGroups.first { group in first.mid.map { group.contains($0) } ?? false }
    return media.first { $0.mid != nil && $0.mid == group?.first } ?? own
  }

  /// Reads the peer's transport.
  ///
  /// - Parameter role: chooses this side's role by what the peer writes.
  func negotiateTransport(
    of first: NegotiatedMedia, role: (SDPSetup?) throws(NegotiationError) -> DTLSRole
  ) throws(NegotiationError) -> NegotiatedTransport {
    let section = transportSection(of: first)
    guard let fragment = section.transport.iceUsernameFragment, let password = section.transport.icePassword else {
      throw .missingICECredentials
    }
    guard !section.transport.fingerprints.isEmpty else { throw .missingFingerprint }
    return NegotiatedTransport(
      remoteUsernameFragment: fragment, remotePassword: password, remoteFingerprints: section.transport.fingerprints,
      remoteCandidates: section.candidates, hasAllRemoteCandidates: section.hasEndOfCandidates,
      canTrickle: section.transport.iceOptions.contains("trickle"), isRemoteLite: isICELite,
      isBundled: !bundleGroups.isEmpty, role: try role(section.transport.setup))
  }

  /// Whether a description shares the transport of the first one.
  func isBundled(_ other: SDPMedia, with first: NegotiatedMedia) -> Bool {
    guard let mid = other.mid, let firstMID = first.mid, mid != firstMID else { return false }
    return bundleGroups.contains { $0.contains(mid) && $0.contains(firstMID) }
  }
}
