import DeviceActions
import Glibc
import SystemSupport
import Logging
import MediaCore
import MediaPipeline
import MediaPlaneAPI
import RealtimeRuntime

/// Keeps an image of the moment at which an action is done for a user, or refused, if the camera runs then; during a
/// call it does.
final class ActionImages: Sendable {
  private static let shortestInterval = TimeSpan.seconds(1)

  private let folder: ActionImageFolder
  private let stills: SnapshotEncoder
  private let logger: Logger
  private let lastTaken = Mutex<[ActionOutcome: MonotonicInstant]>([:])
  private let tasks = OwnedTasks()

  init(folder: ActionImageFolder, stills: SnapshotEncoder, logger: Logger) {
    self.folder = folder
    self.stills = stills
    self.logger = logger
  }

  /// Returns at once; at most one image a second is kept of each outcome.
  func keep(of action: String, _ outcome: ActionOutcome) {
    guard isDue(outcome, MonotonicClock.now()) else { return }
    let time = Int64(time(nil))
    tasks.begin { [folder, stills, logger] in
      guard let image = await stills.next() else { return }
      do {
        let path = try await BlockingWork.run(.state) {
          try folder.store(image, of: action, outcome, at: time)
        }
        logger.info("action \(action): an image of the moment is in \(path)")
      } catch {
        logger.warning("action \(action): no image of the moment: \(error)")
      }
    }
  }

  /// A refusal must not cost the image of who opens the door within the same second.
  private func isDue(_ outcome: ActionOutcome, _ now: MonotonicInstant) -> Bool {
    lastTaken.withLock { last in
      if let taken = last[outcome], now - taken < Self.shortestInterval { return false }
      last[outcome] = now
      return true
    }
  }
}
