public import ICE
public import MediaCore
import RTP
import TransportCrypto

extension PeerSession {
  /// Whose session a connectivity check is for, or nil when the datagram is none.
  ///
  /// For an owner of many sessions: strangers can be turned away before any state is made.
  public static func usernameFragment(addressedBy datagram: RawSpan) -> UsernameFragment? {
    receiverFragment(of: datagram)
  }

  /// Whether a datagram is STUN, and so may answer a check of one of the sessions.
  public static func isCheckResponse(_ datagram: RawSpan) -> Bool { isSTUN(datagram) }

  /// The source (SSRC) that an RTP or RTCP packet names, in the clear and so without proof (RFC 3550 §5.1, §6.4.1); nil
  /// for other datagrams.
  ///
  /// For an owner of many sessions: a peer that has moved sends from an address that is not known yet.
  public static func source(of datagram: RawSpan) -> UInt32? {
    var reader = ByteReader(datagram)
    switch DatagramKind(datagram) {
    case .rtp: guard (try? reader.skip(8)) != nil else { return nil }
    case .rtcp: guard (try? reader.skip(4)) != nil else { return nil }
    case .stun, .dtls, .turnChannel, .unknown: return nil
    }
    return try? reader.readUInt32()
  }

  /// How many sources of authentic packets are known. Bounded; they stay in their order.
  public var sourceCount: Int { sources.count }

  /// - Parameter index: below ``sourceCount``.
  public func source(at index: Int) -> UInt32 { sources[index] }

  /// Takes one datagram that came to a shared socket, and may change it in place.
  ///
  /// - Returns: whether it proved to come from the peer, so that its source address may be remembered.
  @discardableResult
  public func receive(
    _ datagram: inout MutableRawSpan, from remote: TransportAddress, to local: TransportAddress, now: MonotonicInstant
  ) -> Bool {
    guard phase != .ended, configuration.transportPolicy == .all else { return false }
    guard !takeReflexiveAnswer(datagram.bytes, from: remote, to: local, now: now) else { return false }
    return take(&datagram, from: remote, to: local, now: now)
  }

  /// Takes one datagram of the peer's, wherever it came.
  @discardableResult
  func take(
    _ datagram: inout MutableRawSpan, from remote: TransportAddress, to local: TransportAddress, now: MonotonicInstant
  ) -> Bool {
    switch DatagramKind(datagram.bytes) {
    case .stun:
      let isAuthentic = agent.handleDatagram(datagram.bytes, from: remote, to: local, now: now)
      flushICE(now: now)
      return isAuthentic && agent.isPeer(remote)
    case .dtls:
      // A handshake in the clear can be broken by anybody who gets a datagram in.
      // What comes before the answer names the certificate, the peer sends again.
      guard agent.isPeer(remote) else { return false }
      dtls?.receive(datagram.bytes, now: now)
      flushDTLS(now: now)
      return false
    case .rtp: return notePath(receiveRTP(&datagram, now: now), from: remote, to: local, now: now)
    case .rtcp: return notePath(receiveRTCP(&datagram, now: now), from: remote, to: local, now: now)
    case .turnChannel, .unknown: return false
    }
  }

  /// Tells the agent over which path an authentic packet came; passes on whether it was authentic.
  private func notePath(
    _ isAuthentic: Bool, from remote: TransportAddress, to local: TransportAddress, now: MonotonicInstant
  ) -> Bool {
    guard isAuthentic else { return false }
    agent.notePacket(from: remote, to: local, now: now)
    if let path = output.path, path.remote != remote || path.local != local { flushICE(now: now) }
    return true
  }

  // MARK: ICE

  /// Sends what the agent has to send and acts on its events.
  func flushICE(now: MonotonicInstant) {
    permitPeers(now: now)
    while sendICEDatagram() != nil {}
    while let event = agent.takeEvent() { handle(event, now: now) }
    followCheck()
  }

  /// A check that has ended may have stood in the way of a move; one that confirmed the path brings no event.
  private func followCheck() {
    let isOver = isICEChecking && !agent.isChecking
    isICEChecking = agent.isChecking
    if isOver, relays.hasRetired { wantRestart() }
  }

  private func sendICEDatagram() -> TransportAddress? {
    output.sendPlain { buffer in
      guard let transmit = agent.takeTransmit(into: &buffer) else { return nil }
      return PacketOutput.Plain(count: transmit.count, local: transmit.local, remote: transmit.remote)
    }
  }

  private func handle(_ event: ICEEvent, now: MonotonicInstant) {
    guard phase != .ended else { return }
    switch event {
    case .connected(let pair), .selectedPairChanged(let pair):
      output.path = (pair.local, pair.remote)
      bindChannel(for: pair, now: now)
      releaseRetired()
      startDTLSOnce(now: now)
    case .suspected:
      verifyRelay(now: now)
      wantRestart()
    case .disconnected:
      output.path = nil
      // A restart was tried when the path fell silent; it may go on, but does not begin now.
      if !agent.isChecking { end(.consentExpired) }
    case .failed:
      end(phase == .connected ? .consentExpired : .iceFailed)
    }
  }

  // MARK: DTLS

  private func startDTLSOnce(now: MonotonicInstant) {
    if !isDTLSStarted {
      isDTLSStarted = true
      dtls?.start(now: now)
    }
    flushDTLS(now: now)
  }

  /// Sends what the handshake has to send and acts on how far it has come.
  func flushDTLS(now: MonotonicInstant) {
    sendDTLSDatagrams()
    guard phase != .ended, let dtls else { return }
    switch dtls.state {
    case .handshaking: return
    case .connected(let keys): becomeConnected(keys, now: now)
    case .failed(let reason): end(.dtlsFailed(reason: reason))
    case .closed: end(.closedByPeer)
    }
  }

  func sendDTLSDatagrams() {
    guard let path = output.path, let dtls else { return }
    while sendDTLSDatagram(dtls, path) != nil {}
  }

  private func sendDTLSDatagram(
    _ dtls: any DTLSAssociation, _ path: (local: TransportAddress, remote: TransportAddress)
  ) -> TransportAddress? {
    output.sendPlain { buffer in
      guard let count = dtls.takeDatagram(into: &buffer) else { return nil }
      return PacketOutput.Plain(count: count, local: path.local, remote: path.remote)
    }
  }

  private func becomeConnected(_ keys: SRTPKeyingMaterial, now: MonotonicInstant) {
    guard phase == .connecting else { return }
    do {
      output.protection = try dependencies.protection.makeProtection(keys)
    } catch {
      end(.dtlsFailed(reason: "SRTP keys were refused: \(error)"))
      return
    }
    phase = .connected
    reportDeadline = now
    events.append(.connected)
    reportEstimate(now: now)
    if videoSender != nil { requestLocalKeyFrame(now: now) }
  }
}
