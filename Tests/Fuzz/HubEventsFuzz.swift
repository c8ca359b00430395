// sources: Sources/Device/HubClient/HubEvent+Decoding.swift Sources/Device/HubClient/HubEvent+Sizes.swift Sources/Device/HubClient/HubClientError.swift
// sources: Sources/Device/HubClient/Identifier.swift Sources/Device/HubClient/AccessToken.swift
// sources: Sources/Device/HubClient/RequestedContent.swift Sources/Device/HubClient/TimelineProviding.swift Sources/Device/HubClient/RecordingControl.swift
// sources: Sources/Device/HubClient/SnapshotProviding.swift Sources/Device/HubClient/ArchiveAnswer.swift Sources/Device/HubClient/ArchiveRequestPath.swift
// sources: Sources/Device/HubClient/ArchiveProviding.swift Sources/Device/HubClient/ByteRange.swift
// sources: Sources/Device/CallEngine/Calls/CallMachine.swift Sources/Device/CallEngine/Calls/CallMachine+Incoming.swift
// sources: Sources/Device/CallEngine/Calls/CallMachine+Outgoing.swift Sources/Device/CallEngine/Calls/CallAction.swift
// sources: Sources/Device/CallEngine/Calls/CallArchive.swift Sources/Device/CallEngine/Calls/CallPhase.swift Sources/Device/CallEngine/Calls/CallWarning.swift
// sources: Sources/Device/CallEngine/Calls/CallPlacing.swift Sources/Device/CallEngine/Calls/CallTimes.swift
// sources: Sources/Device/CallEngine/Calls/HeldCandidates.swift Sources/Device/CallEngine/Calls/CallShortfalls.swift
// sources: Sources/Device/CallEngine/Calls/OfferIntake.swift Sources/Device/CallEngine/Calls/CallTerms.swift
// sources: Sources/Device/CallEngine/Calls/CandidateBudget.swift Sources/Device/CallEngine/Calls/ControlRefusal.swift Sources/Device/CallEngine/Muting/MuteState.swift
// sources: Sources/Device/CallEngine/Previews/CallPreview.swift Sources/Device/CallEngine/Previews/PreviewMessage.swift
// sources: Sources/Device/CallEngine/Previews/PreviewTerms.swift
import CallPolicy
import FoundationEssentials
import ICE
import MediaCore
import MediaPlaneAPI
import SDP
import Signalling
import TransportCrypto

/// Everything that a hub can say, as the device reads it: an event stream, or the body of an answer.
///
/// The first octet chooses which. What an event carries goes as far as it does in the daemon without sockets and
/// devices: policy, the call's state machine, SDP, candidates, servers, ranges of archive files.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 0 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: data + 1, count: size - 1))
  if data[0] & 1 == 0 {
    readStream(bytes)
  } else {
    readAnswer(bytes)
  }
  return 0
}

// MARK: - The event stream

private func readStream(_ bytes: [UInt8]) {
  var parser = ServerSentEventParser()
  var device = FuzzedDevice()
  for event in parser.push(bytes) {
    guard let typed = try? HubEvent(event) else { continue }
    device.handle(typed)
    device.pass(.seconds(Int64(event.data.count)))
  }
  precondition((0...60_000).contains(parser.reconnectionTime ?? 0))
}

/// One incoming and one outgoing call, and a preview, whichever ids the hub gives.
private struct FuzzedDevice {
  private var now = MonotonicInstant(nanoseconds: 1_000_000_000)
  private var calls: [CallMachine]
  private var preview: CallPreview?

  init() {
    var shown = OutgoingSettings()
    shown.showsPreview = true
    preview = PreviewTerms(shown).map { [now] in CallPreview.start($0, of: "s", [], now: now).0 }
    _ = preview?.mediaOffered("offer")
    calls = [CallMachine(CallTerms(OutgoingSettings()), now: now)]
    update { [now] in $0.mediaOffered("offer", now: now) }
  }

  mutating func handle(_ event: HubEvent) {
    switch event {
    case .callIncoming(let call): ring(call)
    case .callAnswered(let answer): take(answer: answer.sdp)
    case .callOffer(let offer): take(offer: offer.sdp, number: offer.offerNumber)
    case .callCandidates(let event): take(event.candidates)
    case .callRinging: update { $0.rings() }
    case .callRejected(let end), .callEnded(let end): update { $0.remoteEnded(end.reason) }
    case .control(let control): control.action == "start-archive" ? update { $0.startArchive() } : ()
    case .request(let request): answer(request)
    case .hello: update { $0.eventsLost() }
    case .signal(let signal): take(signal)
    case .callTaken, .controlResult, .presence, .archiveStarted, .archiveStopped, .callHistory: break
    }
  }

  private mutating func take(_ signal: SignalEvent) {
    switch PreviewRequest(signal) {
    case .answer(_, let sdp): _ = preview?.answered(sdp)
    case .candidates(_, let candidates): _ = preview?.received(candidates)
    case .end: _ = preview?.pageEnded()
    case .begin, nil: break
    }
  }

  mutating func pass(_ span: TimeSpan) {
    now = now + span
    _ = preview?.tick(now: now)
    update { [now] in $0.tick(now: now) }
  }

  private mutating func ring(_ event: IncomingCallEvent) {
    let request = CallRequest(
      callerID: event.callerID, callerRole: CallerRole(hubName: event.callerRole), callerGroups: event.callerGroups,
      isAudio: event.isAudio, isVideo: event.isVideo, distance: event.distance)
    let evaluation = policy.evaluate(request, in: CallCircumstances())
    if calls.count < 8 { calls.append(CallMachine.start(evaluation.decision, ruleName: nil, now: now).0) }
    add(event.iceServers)
    take(offer: event.offer, number: 0)
    _ = AccessToken.lifetime(ofJWT: event.token)
  }

  private mutating func take(offer sdp: String, number: Int?) {
    if let session = try? SessionDescriptionParser.parse(sdp) {
      _ = try? AnswerBuilder.agree(to: session, media: media, preferredRole: .server)
    }
    update { [now] in $0.remoteOffer(NumberedOffer(sdp: sdp, number: number), now: now) }
  }

  private mutating func take(answer sdp: String) {
    if let session = try? SessionDescriptionParser.parse(sdp) { _ = try? Offer(media).take(session) }
    update { [now] in $0.remoteAnswer(sdp, now: now) }
    update { [now] in $0.mediaConnected(now: now) }
  }

  private mutating func take(_ candidates: [SessionCandidates.Candidate]) {
    for candidate in candidates { _ = Candidate(parsing: candidate.candidate) }
    update { $0.remoteCandidates(candidates.map(\.candidate)) }
  }

  private mutating func update(_ step: (inout CallMachine) -> [CallAction]) {
    for index in calls.indices { _ = step(&calls[index]) }
  }
}

private func add(_ servers: [ICEServer]) {
  var list = ICEServerList()
  _ = list.add(servers)
  precondition(list.relays.count <= ICEServerList.limit && list.reflectors.count <= ICEServerList.limit)
}

/// Of an empty file, a short one, and the longest that there can be.
private func answer(_ request: RequestEvent) {
  _ = ArchiveRequestPath(request.path)
  _ = ArchiveAnswer.json([1, 2, 3], maximum: request.maximumBytes)
  for size in [0, 100, Int64.max] {
    let answer = ArchiveAnswer.part(of: SizedFile(size: size), range: request.range, maximum: request.maximumBytes)
    precondition((0...max(0, request.maximumBytes)).contains(answer.content.count), "more than the hub takes")
    precondition(answer.content.count <= size)
  }
}

private struct SizedFile: ArchiveFileReading {
  var size: Int64
  var contentType: String { "video/webm" }
  var fileName: String? { nil }
  func read(at offset: Int64, count: Int) async throws -> [UInt8] { [] }
}

private let ring = RingSettings(timeout: .seconds(30), then: .answer, answer: AnswerSettings())

private let policy = CallPolicy(
  rules: [
    try! PolicyRule(name: "near", conditions: [.within(metres: 1_000), .callUp(false)], decision: .ring(ring)),
    try! PolicyRule(name: "all", conditions: [], decision: .answer(AnswerSettings())),
  ])

private let media = [MediaKind.audio, .video].map { kind in
  LocalMedia(
    kind: kind, sends: true, receives: true, ssrc: 1, rtxSSRC: kind == .video ? 2 : nil, cname: "c", streamID: "s",
    trackID: "t")
}

// MARK: - Answers to requests

private func readAnswer(_ bytes: [UInt8]) {
  if let login = decode(LoginResponse.self, bytes) {
    _ = AccessToken(login, now: .now)
  }
  if let grant = decode(SessionGrant.self, bytes) { add(grant.iceServers) }
  if let users = decode(NearbyUsers.self, bytes) { precondition(users.items.count <= bytes.count) }
  let problem = decode(Problem.self, bytes)
  _ = HubClientError.refused(status: problem?.status ?? 500, problem: problem).description
}

private func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
  try? JSONDecoder().decode(type, from: Data(bytes))
}
