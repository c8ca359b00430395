import CongestionControl
import ICE
import MediaCore
import RTP
import SDP
import TransportCrypto

/// Turns an offer into an answer and into what a session is built from.
struct Negotiation {
  let answer: String
  let streams: NegotiatedStreams
  let localCredentials: ICECredentials
  let usernameFragment: UsernameFragment
  let remoteCredentials: ICECredentials
  let remoteCandidates: [ICECandidate]
  let dtls: any DTLSAssociation
  let description: LocalDescription
  private let sources: LocalSources

  init(
    offer: String, configuration: PeerSessionConfiguration, dependencies: PeerSessionDependencies
  ) throws(PeerSessionError) {
    let crypto = dependencies.crypto
    let credentials = ICECredentials.make(crypto: crypto)
    let sources = LocalSources(crypto: crypto)
    let parameters = Self.parameters(configuration, dependencies, credentials: credentials, sources: sources)
    description = LocalDescription(offer: try Self.parse(offer), parameters: parameters)
    let agreed: Answer
    do { agreed = try AnswerBuilder.answer(description.offer, with: parameters) } catch { throw .notAcceptable(error) }
    let transport = agreed.transport
    answer = agreed.sdp
    streams = NegotiatedStreams(agreed.media)
    localCredentials = credentials
    // Our own fragments have at most eight octets, so packing one cannot fail.
    usernameFragment = UsernameFragment(credentials.usernameFragment)!
    remoteCredentials = ICECredentials(
      usernameFragment: transport.remoteUsernameFragment, password: transport.remotePassword)
    remoteCandidates = transport.remoteCandidates.compactMap(ICECandidate.init(remote:))
    dtls = try Self.association(transport, dependencies.dtls)
    self.sources = sources
  }

  private static func parse(_ offer: String) throws(PeerSessionError) -> SDPSession {
    do { return try SessionDescriptionParser.parse(offer) } catch { throw .malformedOffer(error) }
  }

  private static func association(
    _ transport: NegotiatedTransport, _ dtls: any DTLSAssociationMaking
  ) throws(PeerSessionError) -> any DTLSAssociation {
    do {
      return try dtls.makeAssociation(role: transport.role, remote: transport.remoteFingerprints)
    } catch {
      throw .dtlsUnavailable(reason: "\(error)")
    }
  }

  private static func parameters(
    _ configuration: PeerSessionConfiguration, _ dependencies: PeerSessionDependencies, credentials: ICECredentials,
    sources: LocalSources
  ) -> AnswerParameters {
    AnswerParameters(
      sessionID: dependencies.crypto.randomUInt64() >> 1, iceUsernameFragment: credentials.usernameFragment,
      icePassword: credentials.password, fingerprint: dependencies.dtls.fingerprint,
      preferredRole: configuration.preferredDTLSRole, candidates: configuration.hostCandidates.map(Candidate.init(local:)),
      hasAllCandidates: !configuration.namesServers,
      media: [MediaKind.audio, .video].map { sources.localMedia($0, configuration) })
  }

  /// Parses the value of a `candidate` attribute; nil for what cannot be used.
  static func remoteCandidate(parsing text: String) -> ICECandidate? {
    Candidate(parsing: text).flatMap(ICECandidate.init(remote:))
  }
}

/// What the answer is written from, so that it can be written again with more candidates.
struct LocalDescription {
  let offer: SDPSession
  let parameters: AnswerParameters

  func answer(candidates: [ICECandidate], areAll: Bool) -> String? {
    var parameters = parameters
    parameters.candidates = candidates.map(Candidate.init(local:))
    parameters.hasAllCandidates = areAll
    return try? AnswerBuilder.answer(offer, with: parameters).sdp
  }
}

// MARK: - Senders

extension Negotiation {
  func makeVideoSender(crypto: any CryptoPrimitives) -> VideoSender? {
    guard let stream = streams.video, stream.sends else { return nil }
    let packetizer = VP8Packetizer(
      ssrc: SSRC(sources.video), payloadType: stream.payloadType,
      maximumPayloadSize: 1_120, firstSequenceNumber: Self.firstSequenceNumber(crypto),
      firstPictureID: UInt16(truncatingIfNeeded: crypto.randomUInt64()), hasTemporalLayers: true)
    let rtx = stream.rtxPayloadType.map {
      RTXEncapsulation(
        ssrc: SSRC(sources.rtx), payloadType: $0, firstSequenceNumber: Self.firstSequenceNumber(crypto))
    }
    return VideoSender(
      packetizer: packetizer, rtx: rtx, extensions: extensionBlock(stream), stamps: stream.stamps,
      clock: RTPClock(rate: 90_000, offset: UInt32(truncatingIfNeeded: crypto.randomUInt64())))
  }

  func makeAudioSender(crypto: any CryptoPrimitives) -> AudioSender? {
    guard let stream = streams.audio, stream.sends else { return nil }
    let packetizer = OpusPacketizer(
      ssrc: SSRC(sources.audio), payloadType: stream.payloadType,
      firstSequenceNumber: Self.firstSequenceNumber(crypto))
    return AudioSender(
      packetizer: packetizer, extensions: extensionBlock(stream), stamps: stream.stamps,
      levelID: stream.extensions.audioLevel,
      clock: RTPClock(rate: 48_000, offset: UInt32(truncatingIfNeeded: crypto.randomUInt64())))
  }

  /// The extensions of every packet: the mid, by which receivers find the m-line (RFC 8843 §9.2), and the places of what
  /// is written when a packet leaves.
  private func extensionBlock(_ stream: NegotiatedStreams.Stream) -> RTPHeaderExtensionBlock {
    var block = RTPHeaderExtensionBlock()
    if let id = stream.extensions.mid, !stream.mid.isEmpty { unsafe block.set(id, to: stream.mid.span.bytes) }
    stream.stamps.reserve(in: &block)
    return block
  }

  /// How the peer tells what it receives: by the packet, by an estimate of its own, or by losses alone.
  func makeRateEstimator(_ configuration: PeerSessionConfiguration) -> SendRateEstimator {
    let stamps = (streams.video ?? streams.audio)?.stamps
    let withoutNumbers: RateFeedback = streams.takesReceiveLimit ? .receiverEstimate : .reports
    let feedback = stamps?.transportSequenceID == nil ? withoutNumbers : .transportWide
    return SendRateEstimator(
      feedback: feedback, start: configuration.startRate, limits: configuration.leastRate...configuration.sendLimit)
  }

  /// What the peer may send where it cannot tell itself; nil where transport-wide feedback serves, or nothing is received.
  func makeReceiveEstimator(_ configuration: PeerSessionConfiguration) -> ReceiveRateEstimator? {
    guard streams.transportSequenceID == nil, streams.absoluteSendTimeID != nil, streams.takesReceiveLimit,
      streams.video?.receives == true
    else { return nil }
    let limits = configuration.leastRate...max(configuration.leastRate, configuration.receiveLimit)
    return ReceiveRateEstimator(start: configuration.startRate, limits: limits)
  }

  /// Below 2^15, so that the first wrap comes late: some receivers of SRTP lose count at an early one (RFC 3711 §3.3.1).
  private static func firstSequenceNumber(_ crypto: any CryptoPrimitives) -> SequenceNumber {
    SequenceNumber(UInt16(truncatingIfNeeded: crypto.randomUInt64() & 0x7FFF))
  }
}

extension NegotiatedStreams.Stream {
  /// What is written to the stream's packets when they leave.
  ///
  /// Nothing where they are sent again without RTX: then a packet keeps its index, so it has to stay the same octet by
  /// octet, since a cipher's vector must not serve two packets that differ (RFC 7714 §8.1).
  fileprivate var stamps: SendStamps {
    if feedback.contains(.nack), rtxPayloadType == nil { return SendStamps() }
    return SendStamps(
      transportSequenceID: extensions.transportWideSequenceNumber, absoluteSendTimeID: extensions.absoluteSendTime)
  }
}

/// The sources and names under which this side sends, random for each session.
struct LocalSources {
  let audio: UInt32
  let video: UInt32
  let rtx: UInt32
  let streamID: String
  let audioTrackID: String
  let videoTrackID: String

  init(crypto: any CryptoPrimitives) {
    // The low two bits keep the three apart, and away from 0.
    func source(_ number: UInt32) -> UInt32 { UInt32(truncatingIfNeeded: crypto.randomUInt64()) & ~3 | number }
    func name() -> String { String(crypto.randomUInt64(), radix: 36) }
    audio = source(1)
    video = source(2)
    rtx = source(3)
    streamID = name()
    audioTrackID = name()
    videoTrackID = name()
  }

  func localMedia(_ kind: MediaKind, _ configuration: PeerSessionConfiguration) -> LocalMedia {
    LocalMedia(
      kind: kind, sends: configuration.publish.contains(kind), receives: configuration.subscribe.contains(kind),
      ssrc: kind == .audio ? audio : video, rtxSSRC: kind == .video ? rtx : nil, cname: configuration.cname,
      streamID: streamID, trackID: kind == .audio ? audioTrackID : videoTrackID)
  }
}

extension ICECandidate {
  /// A candidate as the peer signalled it; nil for TCP, names, and components other than RTP.
  fileprivate init?(remote candidate: Candidate) {
    guard candidate.isUsable, let address = candidate.address else { return nil }
    let kind: ICECandidateKind =
      switch candidate.kind {
      case .host: .host
      case .serverReflexive: .serverReflexive
      case .peerReflexive: .peerReflexive
      case .relay: .relayed
      }
    self.init(
      kind: kind, address: address, base: address, priority: candidate.priority, foundation: candidate.foundation)
  }
}
