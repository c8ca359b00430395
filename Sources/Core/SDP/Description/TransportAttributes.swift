public import TransportCrypto

extension SDPTransport {
  /// Whether no association comes about, or one with an unauthenticated peer, where the attribute is left out.
  static func isEssential(_ name: String) -> Bool {
    ["ice-ufrag", "ice-pwd", "fingerprint", "setup"].contains(name)
  }

  /// Takes the attribute if it is a transport's; false when its value is malformed.
  mutating func take(_ name: String, _ value: String) -> Bool {
    switch name {
    case "ice-ufrag":
      guard isICEText(value, 4...256) else { return false }
      iceUsernameFragment = value
    case "ice-pwd":
      guard isICEText(value, 22...256) else { return false }
      icePassword = value
    case "ice-options":
      iceOptions = words(value)
    case "fingerprint":
      guard let fingerprint = CertificateFingerprint(sdp: value) else { return false }
      if fingerprints.count < 16 { fingerprints.append(fingerprint) }
    case "setup":
      guard let setup = SDPSetup(rawValue: value.lowercased()) else { return false }
      self.setup = setup
    default:
      break
    }
    return true
  }

  /// `ice-char` (RFC 8839 §5.4): letters, digits, plus and slash. Minus, underscore, equals and number signs are seen in
  /// the wild, and taken by Chrome.
  private func isICEText(_ text: String, _ lengths: ClosedRange<Int>) -> Bool {
    lengths.contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2F, 0x2D, 0x5F, 0x3D, 0x23: true
        default: false
        }
      }
  }
}

extension CertificateFingerprint {
  /// Parses an algorithm and a digest in colon-separated hexadecimal octets (RFC 8122 §5).
  ///
  /// Digests of algorithms that are known must have their length.
  public init?(sdp text: String) {
    let fields = words(text)
    guard fields.count == 2, isToken(fields[0]) else { return nil }
    var digest: [UInt8] = []
    for octet in fields[1].utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false) {
      guard octet.count == 2, digest.count < 64 else { return nil }
      guard let value = UInt8(String(decoding: octet, as: UTF8.self), radix: 16), octet.first != 0x2B else {
        return nil
      }
      digest.append(value)
    }
    let algorithm = fields[0].lowercased()
    let lengths = ["sha-1": 20, "sha-224": 28, "sha-256": 32, "sha-384": 48, "sha-512": 64]
    guard lengths[algorithm].map({ $0 == digest.count }) ?? true else { return nil }
    self.init(algorithm: algorithm, digest: digest)
  }

  /// The text after `a=fingerprint:`.
  public var sdp: String {
    let digits = Array("0123456789ABCDEF".unicodeScalars)
    let octets = digest.map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }
    return "\(algorithm) \(octets.joined(separator: ":"))"
  }
}
