import Archive
import ICE
public import MediaCore
import MediaPipeline
public import MediaPlaneAPI
import NetworkLoop
import PeerSession
import RealtimeRuntime
public import Signalling

/// The device's media side: composes capture and encoding, the network loop and the archives for the call engine.
///
/// Devices are open only while a session, an archive, the pre-roll or a source of events wants them.
public actor DeviceMedia: MediaPlane {
  private var configuration: DeviceMediaConfiguration
  private nonisolated let parts: DeviceMediaDependencies
  private nonisolated let queue: MediaEventQueue
  private let inputs: DeviceMediaInputs
  private var sessions = MediaSessions()
  private var recordings: Recordings
  private var talkers: Talkers
  private var devices: DeviceStates
  private var capture: CaptureControl
  private let metering: SessionMetering
  private let negotiation: SessionNegotiation
  private var watchers: [Task<Void, Never>] = []
  private var isShutDown = false
  /// Whether sources of events have no input, since no thread could be made.
  private var isCaptureRefused = false

  public init(configuration: DeviceMediaConfiguration, parts: DeviceMediaDependencies) {
    self.configuration = configuration
    self.parts = parts
    queue = MediaEventQueue(ProblemLog(parts.clock))
    let inputs = DeviceMediaInputs()
    self.inputs = inputs
    recordings = Recordings(parts, callerMaximumBitrate: configuration.callerMaximumBitrate) { [queue] in
      queue.report($0)
    }
    talkers = Talkers(Loudspeaker(parts.makePlayout { inputs.report($0) }), configuration, parts, queue)
    devices = DeviceStates(configuration)
    capture = CaptureControl(configuration, parts) { [queue] in queue.report($0) }
    metering = SessionMetering(parts.network, parts.clock)
    negotiation = SessionNegotiation(parts.network, queue)
  }

  public nonisolated var events: AsyncStream<MediaPlaneEvent> { queue.events }

  /// Counts rounds of the network thread, for the watchdog.
  public nonisolated var networkProgress: UInt64 { parts.network.progress }

  /// Starts to watch the network loop and the pipeline; call once.
  public func start() {
    watchNetwork()
    watchDevices()
    watchIdleDevices()
    recordings.startRetention()
    captureAlways()
    watchers.append(Task { await loadAnswerSound() })
  }

  /// Calls that begin before it is read, or without it, are announced by the two tones.
  private func loadAnswerSound() async {
    guard let sound = configuration.answerSound, configuration.speaker != .none else { return }
    do {
      talkers.loudspeaker.answerSound = try await parts.loadSound(sound)
    } catch {
      queue.report(.soundUnreadable(reason: "\(error)"))
    }
  }

  /// Takes over what may be changed; calls and archives continue.
  public func apply(_ changes: DeviceMediaChanges) {
    guard !isShutDown else { return }
    (configuration.watched, configuration.keptPreRoll) = (changes.watched, changes.keptPreRoll)
    capture.cameras.setWatched(changes.watchedCameras)
    recordings.setRetention(of: changes.plans)
    setSources(changes)
    captureAlways()
  }

  /// Where threads cannot be made, the next that wants to capture tries again.
  private func setSources(_ changes: DeviceMediaChanges) {
    do {
      if let sources = changes.sources { try capture.setSources(sources) }
      try capture.cameras.setSources(changes.furtherSources)
    } catch {
      queue.report(.captureRefused(reason: "\(error)"))
    }
  }

  /// Captures what is wanted without calls or recordings.
  private func captureAlways() {
    followPreRoll()
    captureForEvents()
  }

  /// Where that cannot be, it is reported once and tried again each minute.
  private func captureForEvents() {
    do {
      try claim(configuration.watched.intersection(devices.available), for: .events)
      isCaptureRefused = false
    } catch {
      if !isCaptureRefused { queue.report(.captureRefused(reason: "\(error)")) }
      isCaptureRefused = true
    }
  }

  /// Ends archives, sessions, devices and threads.
  public func shutDown() async {
    isShutDown = true
    await endArchives()
    for session in sessions.handles { hangUp(session) }
    recordings.stopPreRoll()
    drop(.preRoll)
    metering.stop()
    capture.stop()
    parts.network.stop()
    await recordings.stopRetention()
    for watcher in watchers { watcher.cancel() }
    inputs.finish()
    queue.finish()
  }
}

// MARK: - Events

extension DeviceMedia {
  private func watchNetwork() {
    let (network, queue) = (parts.network, queue)
    watch(network.events) { $0.handle($1) }
    watchers += [
      Task { [weak self] in
        while let readings = await network.readings.next() { await self?.handle(readings) }
      },
      Task {
        for await notice in network.notices { queue.report(.network(line: "\(notice)")) }
      },
    ]
  }

  private func watchDevices() {
    watch(parts.pipeline.events) { $0.handle($1) }
    for camera in parts.cameras { watch(camera.pipeline.events) { $0.handle($1, of: camera.name) } }
    watch(inputs.archiveEvents) { $0.handle($1) }
    watch(inputs.playoutEvents) { $0.handle($1) }
  }

  /// Probes unused devices, so that one that cannot work is known before it is needed.
  private func watchIdleDevices() {
    for devices in parts.idleDevices {
      let watch = IdleDeviceWatch(devices: devices, queue: queue, clock: parts.clock)
      watchers.append(Task { [weak self] in await watch.run { await self?.check(at: $0) } })
    }
  }

  /// Returns whether a device is unused.
  private func check(at device: IdleDeviceWatch.Device) -> Bool {
    if isCaptureRefused, device.target == .camera { captureForEvents() }
    if let camera = device.camera, capture.cameras.openIfWanted(camera) { return false }
    return isIdle(device.target, camera: device.camera)
  }

  /// One task a source, so that its reports are taken in order.
  private func watch<Event: Sendable>(
    _ events: AsyncStream<Event>, _ handle: @escaping @Sendable (isolated DeviceMedia, Event) async -> Void
  ) {
    watchers.append(
      Task { [weak self] in
        for await event in events {
          guard let self else { return }
          await handle(self, event)
        }
      })
  }

  private func handle(_ event: NetworkEvent) {
    guard let session = sessions[event.session] else { return }
    switch event.event {
    case .connected: becomeConnected(event.session, session)
    case .candidateGathered(let candidate):
      queue.push(.localCandidates(sessionID: event.session.sessionID, candidates: [candidate]))
    case .offerMade(let sdp): queue.push(.offerMade(sessionID: event.session.sessionID, sdp: sdp))
    case .pathMissing(let problem): negotiation.note(problem, event.session, isPublished: session.isPublished)
    case .digitReceived(let digit): queue.push(.digitReceived(sessionID: event.session.sessionID, digit: digit))
    case .ended(let reason):
      forget(event.session)
      queue.push(.ended(sessionID: event.session.sessionID, reason: MediaEndReason(reason)))
    }
  }

  private func handle(_ readings: [SessionHandle: SessionReading]) {
    capture.requestKeyFrames(for: readings.filter(\.value.wantsKeyFrame).map(\.key.sessionID))
    for (session, reading) in readings where sessions[session] != nil {
      if let estimate = reading.estimate { capture.take(estimate: estimate, of: session.sessionID, among: sessions) }
      if let percent = reading.soundLoss {
        capture.take(soundLoss: percent, of: session.sessionID, among: sessions)
      }
    }
  }

  private func handle(_ event: MediaPipelineEvent) {
    if let notice = devices.update(event) { queue.report(notice) }
    guard case .opened(.video, let name, _) = event, devices.finishSwap(to: name) else { return }
    queue.push(.cameraSwapped(name: name))
  }

  private func handle(_ event: MediaPipelineEvent, of camera: String) {
    if let notice = capture.cameras.update(event, of: camera) { queue.report(notice) }
  }

  private func handle(_ event: AudioPlayoutEvent) {
    if case .opened = event { queue.problems.end(.speaker) }
    guard let notice = devices.update(event) else { return }
    queue.report(notice)
  }

  private func handle(_ event: Archive.ArchiveEvent) {
    let reported = recordings.update(event)
    for case .archiveStopped(let archiveID, _, _, _) in reported { drop(.archive(archiveID)) }
    for event in reported { queue.push(event) }
  }
}

// MARK: - Sessions

extension DeviceMedia {
  /// Makes a session; when that fails, nothing is left of it.
  public func begin(_ request: PeerSessionRequest) async throws -> String {
    let session = MediaSession(request, available: devices.available)
    let isFirst = sessions.isEmpty
    guard let handle = sessions.begin(request.sessionID, session) else { throw NetworkLoopError.duplicateSession }
    // The network thread gets frames as long as there is a session.
    if isFirst { parts.bus.attach(parts.network.localFrames) }
    metering.start()
    do {
      // Before another can be chosen.
      try capture.show(request.view, to: handle, among: sessions)
      let description = try await negotiation.begin(request, handle, publish: session.publish)
      guard sessions[handle] != nil else { throw NetworkLoopError.ended }
      capture.showChosen(to: handle, among: sessions)
      // Devices open while ICE and DTLS do their rounds, so that the first frame does not wait for them.
      try follow(description, handle)
      negotiation.note(description, of: handle, among: &sessions)
      return description.sdp
    } catch {
      hangUp(handle)
      throw error
    }
  }

  public func accept(answer: String, sessionID: SessionID) async throws {
    guard let session = sessions.handle(of: sessionID) else { return }
    try follow(await parts.network.accept(answer: answer, session: session), session)
  }

  public func renegotiate(sessionID: SessionID, offer: String) async throws -> String {
    guard let session = sessions.handle(of: sessionID) else { throw NetworkLoopError.unknownSession }
    let description = try await parts.network.renegotiate(offer: offer, session: session)
    // What the other side has to know is agreed; the session continues without the device.
    do { try follow(description, session) } catch { queue.report(.captureRefused(reason: "\(error)")) }
    negotiation.note(description, of: session, among: &sessions)
    return description.sdp
  }

  public func addICEServers(_ servers: [ICEServer], sessionID: SessionID) async {
    guard let session = sessions.handle(of: sessionID) else { return }
    parts.network.addServers(servers, session: session)
  }

  public func addRemoteCandidates(_ candidates: [String], sessionID: SessionID) async {
    guard let session = sessions.handle(of: sessionID) else { return }
    parts.network.addRemoteCandidates(candidates.filter { !$0.isEmpty }, session: session)
  }

  public func hangUp(sessionID: SessionID) async {
    if let session = sessions.handle(of: sessionID) { hangUp(session) }
  }

  private func hangUp(_ session: SessionHandle) {
    guard sessions[session] != nil else { return }
    parts.network.hangUp(session: session)
    forget(session)
    queue.withdraw(session.sessionID)
  }

  private func becomeConnected(_ handle: SessionHandle, _ session: MediaSession) {
    sessions.update(handle) { $0.isConnected = true }
    if session.playsTone { talkers.announceAnswer() }
    talkers.admit(handle, among: &sessions)
    negotiation.noteConnected(handle, session)
  }

  /// Releases what a session held.
  private func forget(_ session: SessionHandle) {
    guard sessions.remove(session) else { return }
    talkers.remove(session.sessionID, among: &sessions)
    if sessions.isEmpty {
      parts.bus.detach(parts.network.localFrames)
      metering.stop()
    }
    drop(.session(session.sessionID))
  }
}

// MARK: - Devices

extension DeviceMedia {
  public func setMuted(_ target: MuteTarget, _ isMuted: Bool) async {
    devices.setMuted(target, isMuted)
    switch target {
    case .microphone: parts.pipeline.setMuted(isMuted, .audio)
    case .camera: capture.setMuted(isMuted)
    case .speaker: talkers.loudspeaker.setMuted(isMuted)
    }
  }

  public func swapCamera() async throws {
    try parts.pipeline.swapCamera()
    devices.beginSwap()
  }

  public func show(_ view: DeviceView, sessionID: SessionID) async throws {
    guard let session = sessions.handle(of: sessionID) else { throw NetworkLoopError.unknownSession }
    try capture.show(view, to: session, among: sessions)
  }

  public func announce(_ announcement: Announcement) async throws {
    guard configuration.speaker != .none else { throw NoSpeaker() }
    let clip = try await parts.loadSound(announcement)
    try talkers.loudspeaker.announce(clip)
  }

  public func setRing(_ sound: RingSound?) async throws {
    let number = talkers.loudspeaker.requestRing()
    // While a file is read, the ringing may end.
    let clip = try await parts.clip(of: sound)
    try talkers.loudspeaker.ring(clip, number: number)
  }

  /// Opens what the other side wants to see and hear, and closes what it no longer wants.
  private func follow(_ description: LocalDescription, _ session: SessionHandle) throws {
    guard sessions[session] != nil else { return }
    sessions.update(session) { $0.receivesSound = description.receives.contains(.audio) }
    talkers.admit(session, among: &sessions)
    talkers.updateMixes(sessions)
    let claimant = DeviceDemand.Claimant.session(session.sessionID)
    guard capture.kinds(of: claimant) != description.sends else { return }
    try claim(description.sends, for: claimant)
  }

  private func claim(_ kinds: Set<MediaKind>, for claimant: DeviceDemand.Claimant) throws {
    try capture.claim(kinds, for: claimant, among: sessions)
  }

  private func drop(_ claimant: DeviceDemand.Claimant) { capture.drop(claimant, among: sessions) }
}

// MARK: - Snapshots

/// For ``Snapshots``: further cameras by their names, the main one by nil.
extension DeviceMedia {
  /// What forbids snapshots of any camera now, whether it works or not.
  var refusal: SnapshotError? {
    guard devices.available.contains(.video) else { return .noCamera }
    if isShutDown { return .stopped }
    return devices.isMuted(.camera) ? .muted : nil
  }

  /// Why no frame comes, or none of the camera.
  func problem(of camera: String?) -> SnapshotError? {
    if let refusal { return refusal }
    if camera == nil, devices.isCameraStandIn { return .notFound }
    let isStalled = camera.map { capture.cameras.state(of: $0) == "stalled" } ?? devices.isStalled(.camera)
    return isStalled ? queue.problems.text(of: .camera, camera).map { .failed(reason: $0) } : nil
  }

  /// Has the camera open until ``close(_:)``; returns whether it was before.
  func open(_ camera: String?) throws(SnapshotError) -> Bool {
    if let refusal { throw refusal }
    let isOpen = !isIdle(.camera, camera: camera)
    do {
      if let camera { try capture.cameras.beginSnapshot(of: camera) } else { try claim([.video], for: .snapshot) }
    } catch {
      throw .failed(reason: "\(error)")
    }
    return isOpen
  }

  func close(_ camera: String?) {
    if let camera { capture.cameras.endSnapshot(of: camera) } else { drop(.snapshot) }
  }

  private func isIdle(_ target: MuteTarget, camera: String?) -> Bool {
    camera.map { capture.cameras.state(of: $0) == "idle" } ?? devices.isIdle(target)
  }
}

// MARK: - Archives

extension DeviceMedia {
  public func startArchive(_ description: ArchiveDescription) async throws -> ArchiveID {
    // A call cannot take all the room there is; what is recorded of the device alone may.
    let session = description.sessionID.flatMap { sessions.handle(of: $0) }
    let recorder = try await openArchive(description, isLimited: session != nil)
    do {
      guard !isShutDown else { throw CancellationError() }
      try record(description, of: session, with: recorder)
    } catch {
      _ = await recorder.stop(reason: "error")
      throw error
    }
    return recorder.id
  }

  private func openArchive(_ description: ArchiveDescription, isLimited: Bool) async throws -> any ArchiveRecording {
    do {
      return try await recordings.open(description, isLimited: isLimited) { [inputs] in inputs.report($0) }
    } catch {
      recordings.noteFailure(error)
      throw error
    }
  }

  /// - Parameter handle: nil where the device records itself alone, as it does once the session is over.
  private func record(
    _ description: ArchiveDescription, of handle: SessionHandle?, with recorder: any ArchiveRecording
  ) throws {
    let session = handle.flatMap { sessions[$0] }
    let local = description.local(publish: session?.publish ?? devices.available, preRoll: configuration.preRoll)
    let remote = session.map { _ in description.remote(maximumBitrate: configuration.callerMaximumBitrate) }
    let claimant = DeviceDemand.Claimant.archive(recorder.id)
    do {
      try claim(local.kinds, for: claimant)
      try recordings.begin(
        recorder,
        Recordings.Content(sessionID: description.sessionID, session: handle, local: local, remote: remote))
    } catch {
      drop(claimant)
      throw error
    }
  }

  /// Returns when the archive is complete, after a second at the latest: a slow disk completes it afterwards.
  public func stopArchive(archiveID: ArchiveID, reason: ArchiveStopReason) async {
    await beginEnding(archiveID, reason)?.value(within: .seconds(1), parts.clock)
  }

  private func beginEnding(_ archiveID: ArchiveID, _ reason: ArchiveStopReason) -> Task<Void, Never>? {
    guard let ending = recordings.end(archiveID, reason) else { return nil }
    drop(.archive(archiveID))
    return ending
  }

  /// Stops all archives and waits until they are complete, but no longer than systemd would.
  private func endArchives() async {
    for archiveID in recordings.ids { _ = beginEnding(archiveID, .sessionEnded) }
    await recordings.waitForEndings(atMost: .seconds(20))
  }

  public func notePosition(_ fix: PositionFix) async { recordings.notePosition(fix) }

  /// Opens the devices and keeps their last seconds from now on, if that is wanted.
  private func followPreRoll() {
    let kinds = configuration.longestPreRoll > .zero ? devices.available : []
    do {
      try recordings.keepPreRoll(kinds.isEmpty ? .zero : configuration.longestPreRoll)
      if kinds != capture.kinds(of: .preRoll) { try claim(kinds, for: .preRoll) }
    } catch {
      recordings.stopPreRoll()
      drop(.preRoll)
      queue.report(.preRollUnavailable(reason: "\(error)"))
    }
  }
}

// MARK: - Status

extension DeviceMedia {
  public func status() async -> MediaPlaneStatus {
    let counted = await sessionReadings()
    var status = MediaPlaneStatus(
      devices: devices.status(parts.pipeline.statistics, underruns: talkers.loudspeaker.underruns)
        + capture.cameras.status,
      sessions: counted.map { MediaPlaneStatus.Session($0) }, archives: recordings.status)
    status.archiveDirectory = parts.archives.root
    status.archiveProblem = parts.archives.problem
    status.problems = queue.problems.problems
    return status
  }

  public func telemetry() async -> MediaTelemetry {
    let counted = await sessionReadings()
    let counters = parts.pipeline.statistics
    var telemetry = MediaTelemetry(counters, isCapturing: !devices.isIdle(.camera), capture.videoBitrate)
    telemetry.cameras = capture.cameraTelemetry
    telemetry.playout = PlayoutTelemetry(talkers.loudspeaker.statistics)
    telemetry.sessions = counted.map { SessionTelemetry($0) }
    telemetry.archives = recordings.telemetry
    telemetry.disk = recordings.disk
    return telemetry
  }

  /// Of the network's sessions those that are not over, in the order of their ids.
  private func sessionReadings() async -> [SessionMetering.Reading] {
    await metering.readings().filter { sessions[$0.session] != nil }
  }
}
