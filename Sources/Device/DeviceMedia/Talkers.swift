import MediaPipeline
import MediaPlaneAPI
import NetworkLoop
import Signalling

/// Decides which parties are played on the loudspeaker, and lets them hear each other.
struct Talkers {
  var loudspeaker: Loudspeaker
  private let hasSpeaker: Bool
  private let parts: DeviceMediaDependencies
  private let queue: MediaEventQueue

  init(
    _ loudspeaker: Loudspeaker, _ configuration: DeviceMediaConfiguration, _ parts: DeviceMediaDependencies,
    _ queue: MediaEventQueue
  ) {
    self.loudspeaker = loudspeaker
    hasSpeaker = configuration.speaker != .none
    self.parts = parts
    self.queue = queue
  }

  /// Announces near the device that a call begins.
  func announceAnswer() {
    if hasSpeaker { reportFailure { try loudspeaker.announceAnswer() } }
  }

  /// Plays a party that sends sound, unless enough others are played.
  mutating func admit(_ handle: SessionHandle, among sessions: inout MediaSessions) {
    let sessionID = handle.sessionID
    guard let session = sessions[handle], session.isConnected, session.receivesSound, session.mayTalk, hasSpeaker,
      !loudspeaker.plays(sessionID)
    else { return }
    guard loudspeaker.talkerCount < session.maxTalkers else { return letWait(handle, session, among: &sessions) }
    sessions.update(handle) { $0.waitsForSpeaker = false }
    if session.waitsForSpeaker { queue.push(.heard(sessionID: sessionID)) }
    do {
      parts.network.setPlayout(try loudspeaker.open(sessionID), session: handle)
      updateMixes(sessions)
    } catch {
      reportFailure(error)
    }
  }

  private func letWait(_ handle: SessionHandle, _ session: MediaSession, among sessions: inout MediaSessions) {
    guard !session.waitsForSpeaker else { return }
    sessions.update(handle) { $0.waitsForSpeaker = true }
    queue.push(.notHeard(sessionID: handle.sessionID, talkers: loudspeaker.talkerCount))
  }

  /// A session is over: others that wait to be audible may take its place.
  mutating func remove(_ sessionID: SessionID, among sessions: inout MediaSessions) {
    loudspeaker.close(sessionID)
    updateMixes(sessions)
    for waiting in sessions.waitingForSpeaker { admit(waiting, among: &sessions) }
  }

  /// Lets those who talk hear each other.
  mutating func updateMixes(_ sessions: MediaSessions) {
    let mixes = loudspeaker.mix(sessions.soundSenders, inbox: parts.network.localFrames)
    parts.pipeline.setMixes(mixes.values.compactMap(\.self))
    for handle in sessions.handles {
      if let mix = mixes[handle.sessionID] { parts.network.setMix(mix?.id ?? 0, session: handle) }
    }
  }

  private func reportFailure(_ play: () throws -> Void) {
    do { try play() } catch { reportFailure(error) }
  }

  /// A call continues without the speaker.
  private func reportFailure(_ error: any Error) { queue.report(.deviceFailed(.speaker, reason: "\(error)")) }
}
