import Archive
public import MediaPlaneAPI
import MediaCore
import MediaPipeline
import NetworkLoop
import PeerSession
import RealtimeRuntime

/// What status displays see. Rates are those of the last seconds, so the network's counters are read every two while there is a call.
extension DeviceMedia {
  private static let samplingInterval = Duration.seconds(2)

  public func status() async -> MediaPlaneStatus {
    let statistics = await network.statistics()
    let counted = statistics.compactMap { sessionID, counters in
      sessions[sessionID].map { Self.status(sessionID, $0, counters) }
    }
    var status = MediaPlaneStatus(
      devices: devices.status(pipeline.statistics, underruns: underruns),
      sessions: counted.sorted { $0.sessionID < $1.sessionID },
      archives: archives.values.map(Self.status).sorted { $0.archiveID < $1.archiveID })
    status.archiveDirectory = archiveStore.root
    status.archiveProblem = folderWatch.problem
    return status
  }

  private static func status(
    _ sessionID: String, _ session: MediaSession, _ counters: PeerSessionStatistics
  ) -> MediaPlaneStatus.Session {
    MediaPlaneStatus.Session(
      sessionID: sessionID, isConnected: counters.isConnected, sendBitrate: Int(saturating: session.sent.perSecond * 8),
      receiveBitrate: Int(saturating: session.received.perSecond * 8),
      roundTripTime: counters.roundTripTime.map { Int(clamping: $0.milliseconds) })
  }

  private static func status(_ archive: RunningArchive) -> MediaPlaneStatus.Archive {
    let statistics = archive.recorder.statistics
    return MediaPlaneStatus.Archive(
      archiveID: archive.recorder.id.text, sessionID: archive.sessionID, startedAt: archive.startedAt,
      size: statistics.byteCount, droppedFrames: statistics.droppedFrames)
  }

  /// Times that loudspeakers ran dry, those of calls that are over included.
  private var underruns: Int {
    sessions.values.reduce(endedUnderruns) { $0 + ($1.playout?.statistics.underruns ?? 0) }
  }

  // MARK: Sampling

  /// Begins to read the counters, unless that is under way.
  func startSampling() {
    guard sampling == nil else { return }
    sampling = Task { [weak self] in
      while !Task.isCancelled {
        await self?.sample()
        try? await Task.sleep(for: Self.samplingInterval)
      }
    }
  }

  func stopSampling() {
    sampling?.cancel()
    sampling = nil
  }

  private func sample() async {
    let statistics = await network.statistics()
    let now = MonotonicClock.now()
    for (sessionID, counters) in statistics {
      sessions[sessionID]?.sent.update(counters.bytesSent, now: now)
      sessions[sessionID]?.received.update(counters.bytesReceived, now: now)
    }
  }
}
