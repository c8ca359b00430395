import CongestionControl
public import ICE
public import MediaCore
import RTP
import SDP
import TransportCrypto

/// One WebRTC session with one peer, sans-IO: ICE, DTLS, SRTP and BUNDLEd RTP behind datagrams, frames and the time.
///
/// After each call the owner drains ``takeEvent()`` and reads ``deadline``. Datagrams leave through the
/// ``DatagramSink``, received frames through the ``ReceivedFrameSink``, both during the call. Confined to one thread.
public final class PeerSession {
  /// The SDP answer to the offer.
  public internal(set) var answer: String
  /// What the peer's connectivity checks are addressed to.
  public let localUsernameFragment: UsernameFragment

  let configuration: PeerSessionConfiguration
  let dependencies: PeerSessionDependencies
  let output: PacketOutput
  let frameBuffer = FrameBuffer()
  let dtls: any DTLSAssociation
  var agent: ICEAgent
  var videoSender: VideoSender?
  var audioSender: AudioSender?
  var videoReceiver: VideoReceiver?
  var audioReceiver: AudioReceiver?
  /// The retransmission stream's source, when the peer has named it.
  var rtxSSRC: SSRC?
  let negotiated: NegotiatedStreams
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
  /// - Throws: ``PeerSessionError`` when the offer cannot be answered.
  public init(
    offer: String, configuration: PeerSessionConfiguration, dependencies: PeerSessionDependencies,
    now: MonotonicInstant
  ) throws(PeerSessionError) {
    let negotiation = try Negotiation(offer: offer, configuration: configuration, dependencies: dependencies)
    self.configuration = configuration
    self.dependencies = dependencies
    answer = negotiation.answer
    negotiated = negotiation.streams
    rtxSSRC = negotiation.streams.video?.remoteRTXSSRC.map { SSRC($0) }
    transportFeedback = negotiation.streams.transportSequenceID.map { _ in TransportFeedbackGenerator() }
    localUsernameFragment = negotiation.usernameFragment
    dtls = negotiation.dtls
    cname = Array(configuration.cname.utf8)
    output = PacketOutput(network: dependencies.network, rate: negotiation.makeRateEstimator(configuration))
    receiveRate = negotiation.makeReceiveEstimator(configuration)
    agent = ICEAgent(role: .controlled, credentials: negotiation.localCredentials, crypto: dependencies.crypto)
    videoSender = negotiation.makeVideoSender(crypto: dependencies.crypto)
    audioSender = negotiation.makeAudioSender(crypto: dependencies.crypto)
    start(negotiation, now: now)
  }

  private func start(_ negotiation: borrowing Negotiation, now: MonotonicInstant) {
    for (index, address) in configuration.localAddresses.enumerated() {
      agent.addLocalCandidate(.host(address, localPreference: .max - UInt16(clamping: index)), now: now)
    }
    agent.setRemoteCredentials(negotiation.remoteCredentials, now: now)
    for candidate in negotiation.remoteCandidates { agent.addRemoteCandidate(candidate, now: now) }
    flushICE(now: now)
  }

  // MARK: Output

  /// When ``handleTimeout(now:)`` wants to be called next.
  public var deadline: MonotonicInstant {
    guard phase != .ended else { return .distantFuture }
    let transport = min(agent.deadline ?? .distantFuture, dtls.deadline ?? .distantFuture)
    let media = min(audioReceiver?.deadline ?? .distantFuture, videoReceiver?.deadline ?? .distantFuture)
    let feedback = min(transportFeedback?.deadline ?? .distantFuture, reportDeadline, keyFrameRequests.deadline)
    return min(transport, media, feedback, pacingDeadline)
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
    result.sendEstimate = sendsMedia ? output.rate.estimate : nil
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
    events.append(.ended(reason))
  }

  // MARK: Input

  /// Sends an encoded frame to the peer, if it takes that kind of media.
  public func send(_ frame: EncodedFrameHeader, payload: RawSpan, now: MonotonicInstant) {
    guard phase == .connected else { return }
    switch frame.kind {
    case .audio: audioSender?.send(frame, payload: payload, now: now, through: output)
    case .video:
      videoSender?.enqueue(frame, payload: payload, through: output, now: now)
      pace(now: now)
      if videoSender?.wantsKeyFrame(pacedBy: output.budget, now: now) == true {
        requestLocalKeyFrame(now: now)
      } else if frame.isKeyFrame {
        keyFrameRequests.satisfy()
      }
    }
  }

  /// Adds a trickled candidate (the `candidate:` attribute's value, with or without its name).
  ///
  /// What cannot be used (TCP, mDNS names, other components, garbage) is passed over: a path may exist without it.
  public func addRemoteCandidate(_ text: String, now: MonotonicInstant) {
    guard phase != .ended, let candidate = Negotiation.remoteCandidate(parsing: text) else { return }
    agent.addRemoteCandidate(candidate, now: now)
    flushICE(now: now)
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
    // With each report as well: what was heard since puts off the time when silence would count, and saves a wake.
    if min(agent.deadline ?? .distantFuture, reportDeadline) <= now { agent.handleTimeout(now: now) }
    flushICE(now: now)
    if let deadline = dtls.deadline, deadline <= now { dtls.handleTimeout(now: now) }
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
    dtls.close()
    sendDTLSDatagrams()
    end(.closed)
  }

  /// Asks the encoder for a key frame, now or when the last request is old enough.
  func requestLocalKeyFrame(now: MonotonicInstant) {
    keyFrameRequests.request()
    reportKeyFrameRequest(now: now)
  }

  private func reportKeyFrameRequest(now: MonotonicInstant) {
    if keyFrameRequests.takeDue(now: now) { events.append(.keyFrameRequested) }
  }
}
