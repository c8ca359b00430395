import CallPolicy
public import HubClient
import Logging
import MediaCore
public import Signalling

/// Manual recordings that users at the hub start and stop, as the policy's `[recording]` permits.
public struct HubRecording: RecordingControl {
  private let engine: CallEngine

  public init(engine: CallEngine) { self.engine = engine }

  public func setRecording(
    _ isWanted: Bool?, for requester: ContentRequester?
  ) async throws(RequestRefusal) -> RecordingState {
    switch isWanted {
    case true?: try await start(for: requester)
    case false?: try await stop(for: requester)
    case nil: try await permit(requester)
    }
    let recording = await engine.recorder.handRecording
    return RecordingState(
      isRecording: recording.isRecording, secondsLeft: recording.left.map { $0.milliseconds / 1_000 },
      problem: recording.problem)
  }

  private func start(for requester: ContentRequester?) async throws(RequestRefusal) {
    let userID = try await permitChange(requester)
    do {
      try await engine.recorder.startManually()
    } catch {
      logger.warning("user:\(userID) at the hub has asked for a recording, which cannot be started: \(error)")
      throw .notPossible("it cannot record: \(error)")
    }
    logger.notice("user:\(userID) at the hub has the device recorded")
  }

  private func stop(for requester: ContentRequester?) async throws(RequestRefusal) {
    let userID = try await permitChange(requester)
    await engine.recorder.stopManually()
    logger.notice("user:\(userID) at the hub stopped the manual recording")
  }

  // MARK: Permissions

  private func permitChange(_ requester: ContentRequester?) async throws(RequestRefusal) -> String {
    do throws(RequestRefusal) {
      return try await permit(requester)
    } catch {
      let name = requester.map { "user:\($0.userID)" } ?? "an unknown user"
      logger.notice("\(name) at the hub may not have the device recorded")
      throw error
    }
  }

  /// - Parameter requester: whom the hub's signature names; nil where there is none to be believed.
  @discardableResult
  private func permit(_ requester: ContentRequester?) async throws(RequestRefusal) -> String {
    guard let requester else { throw .notAllowed("it cannot identify the requester; its log says why") }
    let role = CallerRole(hubName: requester.role)
    guard await engine.settings.policy.recording.permits(requester.userID, role, requester.groups) else {
      throw .notAllowed("its policy does not let you have it record")
    }
    return requester.userID
  }

  private var logger: Logger { engine.environment.logger }
}
