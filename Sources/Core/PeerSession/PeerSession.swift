import CongestionControl
import ICE
public import MediaCore
import RTP
import SDP
import TransportCrypto

/// One WebRTC session with one peer, sans-IO: ICE, DTLS, SRTP and BUNDLEd RTP behind datagrams, frames and the time.
///
/// After each call the owner drains ``takeEvent()`` and reads ``deadline``. Datagrams leave through the
/// ``DatagramSink``, received frames through the ``ReceivedFrameSink``, both during the call. Confined to one thread.
public final class PeerSession {
  var configuration: PeerSessionConfiguration
  let dependencies: PeerSessionDependencies
  let output: PacketOutput
  let frameBuffer = FrameBuffer()
  /// Offers and answers.
  var negotiation: Negotiation
  /// Nil until the peer's certificate is described.
  var dtls: (any DTLSAssociation)?
  var agent: ICEAgent
  let relays = Relays()
  var gathering: Gathering
  var videoSender: VideoSender?
  var audioSender: AudioSender?
  var videoReceiver: VideoReceiver?
  var audioReceiver: AudioReceiver?
  /// The retransmission stream's source, when the peer has named it.
  var rtxSSRC: SSRC?
  var negotiated: NegotiatedStreams
  var usesReducedSizeRTCP: Bool { negotiated.usesReducedSizeRTCP }
  var simulcast = SimulcastFilter()
  var timeline = PeerTimeline()
  /// Tells the peer when its packets arrived, where that is agreed.
  var transportFeedback: TransportFeedbackGenerator?
  /// Estimates what the peer may send, where it takes REMB and gives no transport-wide numbers.
  var receiveRate: ReceiveRateEstimator?
  var sendTimes = AbsoluteSendTimeUnwrapper()
  /// What the peer was told last.
  var toldReceiveLimit: Bitrate?
  var reporting = EstimateReporting()
  var probe: RunningProbe?
  /// What a session measures its round trip with that sends no media.
  var receiverRoundTrips = RoundTripMeter()
  var referenceTimes = ReferenceTimeResponder()
  /// What retransmissions to this side are planned with.
  var assumedRoundTrip = TimeSpan.milliseconds(100)
  var phase = Phase.connecting
  var isDTLSStarted = false
  /// As of the last look at the agent.
  var isICEChecking = false
  /// The CNAME's octets.
  let cname: [UInt8]
  var reportDeadline = MonotonicInstant.distantFuture
  var keyFrameRequests = KeyFrameRequests()
  var sources = KnownSources()
  var counters = PeerSessionStatistics()
  var events = PeerSessionEventQueue()

  enum Phase {
    case connecting
    case connected
    case ended
  }

  /// Answers an offer. Nothing is sent before the peer's first check, or before its candidates are known.
  ///
  /// ``localDescription`` is the answer.
  ///
  /// - Throws: ``PeerSessionError`` when the offer cannot be answered.
  public convenience init(
    offer: String, configuration: PeerSessionConfiguration, dependencies: PeerSessionDependencies,
    now: MonotonicInstant
  ) throws(PeerSessionError) {
    let negotiation = try Negotiation(answering: offer, configuration, crypto: dependencies.crypto)
    self.init(negotiation, configuration, dependencies, now: now)
    try makeAssociation(negotiation.agreement)
    followAgreement(after: nil, now: now)
  }

  /// Makes an offer; ``localDescription`` is it, and ``accept(answer:now:)`` has to follow.
  ///
  /// Checks of the peer that come before its answer are answered; nothing else is sent.
  public convenience init(
    offering configuration: PeerSessionConfiguration, dependencies: PeerSessionDependencies, now: MonotonicInstant
  ) {
    let negotiation = Negotiation(offering: configuration, crypto: dependencies.crypto)
    self.init(negotiation, configuration, dependencies, now: now)
  }

  private init(
    _ negotiation: Negotiation, _ configuration: PeerSessionConfiguration, _ dependencies: PeerSessionDependencies,
    now: MonotonicInstant
  ) {
    self.configuration = configuration
    self.dependencies = dependencies
    self.negotiation = negotiation
    negotiated = NegotiatedStreams([])
    cname = Array(configuration.cname.utf8)
    let making = StreamFactory(streams: negotiated, sources: negotiation.sources, crypto: dependencies.crypto)
    output = PacketOutput(
      network: dependencies.network, relays: relays,
      sendController: SendController(rate: making.makeRateEstimator(configuration)))
    gathering = Gathering(isComplete: !configuration.namesServers)
    agent = ICEAgent(
      role: negotiation.iceRole, credentials: negotiation.credentials,
      crypto: dependencies.crypto)
    addHostCandidates(now: now)
  }

  // MARK: Output

  /// When ``handleTimeout(now:)`` wants to be called next.
  public var deadline: MonotonicInstant {
    guard phase != .ended else { return .distantFuture }
    let offer = negotiation.pending?.deadline ?? .distantFuture
    let transport = min(agent.deadline ?? .distantFuture, dtls?.deadline ?? .distantFuture, offer)
    let media = min(audioReceiver?.deadline ?? .distantFuture, videoReceiver?.frameDeadline ?? .distantFuture)
    let reports = min(reportDeadline, keyFrameRequests.deadline)
    return min(transport, media, reports, sendDeadline, min(relays.deadline, gathering.deadline))
  }

  /// When packets are to be sent; while there is no path that would be in vain, again and again.
  private var sendDeadline: MonotonicInstant {
    guard output.isOpen else { return .distantFuture }
    let feedback = min(
      transportFeedback?.deadline ?? .distantFuture, videoReceiver?.feedbackDeadline ?? .distantFuture)
    return min(feedback, pacingDeadline)
  }

  /// Takes what there is to report, oldest first.
  public func takeEvent() -> PeerSessionEvent? { events.popFirst() }

  /// What the session has carried so far.
  public var statistics: PeerSessionStatistics {
    var result = counters
    result.isConnected = phase == .connected
    result.packetsSent = output.packetCount
    result.bytesSent = output.byteCount
    result.videoFramesReceived = videoReceiver?.frameCount ?? 0
    result.audioFramesReceived = audioReceiver?.frameCount ?? 0
    result.roundTripTime = roundTrip
    result.receivedAudioLevel = audioReceiver?.level
    result.sendEstimate = sendsMedia ? output.sendController.rate.estimate : nil
    result.packetsResent = videoSender?.resentCount ?? 0
    return result
  }

  var roundTrip: TimeSpan? {
    videoSender?.statistics.roundTrip ?? audioSender?.statistics.roundTrip ?? receiverRoundTrips.roundTrip
  }

  func end(_ reason: PeerSessionEnd) {
    guard phase != .ended else { return }
    phase = .ended
    output.path = nil
    releaseRelays()
    events.append(.ended(reason))
  }

  // MARK: Input

  /// Sends an encoded frame to the peer, if it takes that kind of media.
  public func send(_ frame: EncodedFrameHeader, payload: RawSpan, now: MonotonicInstant) {
    guard phase == .connected else { return }
    switch frame.kind {
    case .audio where negotiated.sendsAudio:
      audioSender?.send(frame, payload: payload, now: now, through: output)
    case .video where negotiated.sendsVideo:
      let isStuck = videoSender?.enqueue(frame, payload: payload, through: output, now: now) == false
      pace(now: now)
      // All viewers pay for a key frame: without a path it would be in vain, again and again.
      if isStuck, output.isOpen, videoSender?.wantsKeyFrame(pacedBy: output.sendController.budget, now: now) == true {
        requestLocalKeyFrame(now: now)
      } else if frame.isKeyFrame {
        keyFrameRequests.satisfy()
      }
    case .audio, .video: break
    }
  }

  /// Adds a trickled candidate (the `candidate:` attribute's value, with or without its name).
  ///
  /// What cannot be used (TCP, mDNS names, other components, from before a restart, garbage) is passed over: a path may
  /// exist without it.
  public func addRemoteCandidate(_ text: String, now: MonotonicInstant) {
    guard phase != .ended, let parsed = Candidate(parsing: text), belongsToPresentGeneration(parsed),
      let candidate = ICECandidate(remote: parsed)
    else { return }
    agent.addRemoteCandidate(candidate, now: now)
    flushICE(now: now)
  }

  /// Candidates that name no generation are taken for the present one (RFC 8839 §5.1).
  private func belongsToPresentGeneration(_ candidate: Candidate) -> Bool {
    guard let fragment = candidate.usernameFragment, let remote = agent.remoteCredentials else { return true }
    return fragment == remote.usernameFragment
  }

  /// Asks the peer for a key frame, for example because a recording starts.
  public func requestKeyFrame(now: MonotonicInstant) {
    videoReceiver?.wantKeyFrame()
    sendFeedback(now: now)
  }

  /// Sends so many temporal layers of the video from now on; 0 makes it a still picture.
  public func setVideoLayers(_ count: Int) { videoSender?.setLayers(count) }

  /// Does what is due.
  public func handleTimeout(now: MonotonicInstant) {
    guard phase != .ended else { return }
    handleServerTimeouts(now: now)
    // With each report as well: what was heard since puts off the time when silence would count, and saves a wake.
    if min(agent.deadline ?? .distantFuture, reportDeadline) <= now { agent.handleTimeout(now: now) }
    flushICE(now: now)
    rollBackIfDue(now: now)
    if let deadline = dtls?.deadline, deadline <= now { dtls?.handleTimeout(now: now) }
    flushDTLS(now: now)
    guard phase == .connected else { return }
    deliverFrames(now: now)
    sendFeedback(now: now)
    if let deadline = transportFeedback?.deadline, deadline <= now { sendTransportFeedback(now: now) }
    pace(now: now)
    reportKeyFrameRequest(now: now)
    if reportDeadline <= now { sendReports(now: now) }
  }

  /// Says goodbye and ends; ``PeerSessionEvent/ended(_:)`` follows.
  public func close(now: MonotonicInstant) {
    guard phase != .ended else { return }
    sendGoodbye(now: now)
    dtls?.close()
    sendDTLSDatagrams()
    end(.closed)
  }

  /// Asks the encoder for a key frame, now or when the last request is old enough.
  func requestLocalKeyFrame(now: MonotonicInstant) {
    guard negotiated.sendsVideo else { return }
    keyFrameRequests.request()
    reportKeyFrameRequest(now: now)
  }

  private func reportKeyFrameRequest(now: MonotonicInstant) {
    if keyFrameRequests.takeDue(now: now) { events.append(.keyFrameRequested) }
  }
}
