import ICE
public import MediaCore
public import TransportCrypto

/// Over which paths a session may reach its peer.
public enum ICETransportPolicy: Sendable, Hashable {
  /// Over any that works, best first.
  case all
  /// Only over relays: no other address of this side is signalled, and nothing is sent to the peer from a shared
  /// socket.
  case relay
}

/// What the owner decides about a session.
public struct PeerSessionConfiguration: Sendable {
  /// The addresses of the shared sockets, best first; they become host candidates.
  public var localAddresses: [TransportAddress]
  /// What this side sends, if the peer accepts it.
  public var publish: Set<MediaKind>
  /// What this side receives, if the peer sends it.
  public var subscribe: Set<MediaKind>
  /// Names this device in RTCP and SDP; stable for all sessions of a run, and without meaning to others.
  public var cname: String
  /// The maximum that the peer is asked to send.
  public var receiveLimit: Bitrate
  /// The maximum useful rate, all streams together: more is neither tried nor estimated.
  public var sendLimit: Bitrate
  /// The rate before anything is known of the path.
  public var startRate: Bitrate
  /// No estimate falls below this.
  public var leastRate: Bitrate { .kilobits(30) }
  /// Which candidates are signalled and used.
  public var transportPolicy: ICETransportPolicy
  /// STUN and TURN servers will be named: descriptions do not claim to have all candidates until
  /// ``PeerSession/endServers(now:)`` was called and they have answered.
  public var namesServers: Bool
  /// The role to take where the offer leaves the choice. The server chooses the SRTP profile: ours prefers AES-GCM,
  /// which costs a sixth of AES-CM with SHA-1, the choice of browsers.
  public var preferredDTLSRole: DTLSRole

  /// - Parameter sendLimit: brought to ``leastRate`` at least.
  public init(
    localAddresses: [TransportAddress], publish: Set<MediaKind>, subscribe: Set<MediaKind>, cname: String,
    receiveLimit: Bitrate = .kilobits(2_500), sendLimit: Bitrate = .kilobits(2_500),
    startRate: Bitrate = .kilobits(500), transportPolicy: ICETransportPolicy = .all, namesServers: Bool = false,
    preferredDTLSRole: DTLSRole = .server
  ) {
    self.localAddresses = localAddresses
    self.publish = publish
    self.subscribe = subscribe
    self.cname = cname
    self.receiveLimit = receiveLimit
    self.sendLimit = max(sendLimit, .kilobits(30))
    self.startRate = startRate
    self.transportPolicy = transportPolicy
    self.namesServers = namesServers
    self.preferredDTLSRole = preferredDTLSRole
  }

  /// - Parameter index: of one of ``localAddresses``.
  func localPreference(_ index: Int) -> UInt16 { .max - UInt16(clamping: index) }
}

/// A session's dependencies, since Core touches no library, socket or clock.
public struct PeerSessionDependencies {
  /// Randomness and hashes for ICE and DTLS fingerprints.
  public var crypto: any CryptoPrimitives
  /// Makes the DTLS association (RFC 5764).
  public var dtls: any DTLSAssociationMaking
  /// Makes SRTP's ciphers from the keys that DTLS agrees on.
  public var protection: any PacketProtectionMaking
  /// Takes datagrams that are to leave; must not block.
  public var network: any DatagramSink
  /// Takes the frames that have come; must not block.
  public var frames: any ReceivedFrameSink

  /// All of them are used only on the session's own thread.
  public init(
    crypto: any CryptoPrimitives, dtls: any DTLSAssociationMaking, protection: any PacketProtectionMaking,
    network: any DatagramSink, frames: any ReceivedFrameSink
  ) {
    self.crypto = crypto
    self.dtls = dtls
    self.protection = protection
    self.network = network
    self.frames = frames
  }
}

/// The traffic of one session.
public struct PeerSessionStatistics: Sendable, Hashable {
  /// ICE and DTLS are done, and the session is not over.
  public var isConnected = false
  /// RTP and RTCP packets that left, resent ones included.
  public var packetsSent: UInt64 = 0
  /// Their octets, SRTP's tags included, without UDP and IP headers.
  public var bytesSent: UInt64 = 0
  /// Authentic RTP packets that came, resent ones included.
  public var packetsReceived: UInt64 = 0
  /// Their octets, headers included, without SRTP's tags and UDP and IP headers.
  public var bytesReceived: UInt64 = 0
  /// Packets resent at the peer's request (RFC 4585, RFC 4588).
  public var packetsResent: UInt64 = 0
  /// Packets that the peer has missed so far, as it reports; some came when they were sent again (RFC 3550 §6.4.1).
  public var sendPacketsLost: Int64 = 0
  /// What the peer's last reports say was lost, in 256ths, of the stream that fared worst; nil before the first.
  public var sendLoss: UInt8?
  /// Packets that have not come from the peer, of the sources that are received now; some came when they were sent again.
  public var receivePacketsLost: Int64 = 0
  /// Complete frames received.
  public var videoFramesReceived: UInt64 = 0
  /// Packets of sound that came.
  public var audioFramesReceived: UInt64 = 0
  /// Packets that failed authentication, were replayed or could not be parsed.
  public var packetsRefused: UInt64 = 0
  /// Of the last reports that carried it (RFC 3550 §6.4.1); nil before the first.
  public var roundTripTime: TimeSpan?
  /// What the path is thought to take, all streams together.
  public var sendEstimate: Bitrate?
  /// How loud the peer says its last packet of sound was, in decibels below the loudest (RFC 6464).
  public var receivedAudioLevel: UInt8?

  /// Nothing was carried.
  public init() {}
}
