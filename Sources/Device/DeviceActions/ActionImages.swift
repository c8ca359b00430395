import Glibc
public import Logging
import MediaCore
import MediaPlaneAPI
import RealtimeRuntime
import SystemSupport

/// Keeps an image of the moment at which an action is done for a user, or refused, if the camera runs then; during a
/// call it does.
public final class ActionImages: Sendable {
  private static let shortestInterval = TimeSpan.seconds(1)

  private let folder: ActionImageFolder
  private let takeImage: @Sendable () async -> [UInt8]?
  private let logger: Logger
  private let lastTaken = Mutex<[ActionOutcome: MonotonicInstant]>([:])
  private let tasks = OwnedTasks()

  /// - Parameter takeImage: the next frame of the camera as JPEG; nil if none comes.
  public init(folder: ActionImageFolder, logger: Logger, takeImage: @escaping @Sendable () async -> [UInt8]?) {
    self.folder = folder
    self.takeImage = takeImage
    self.logger = logger
  }

  /// Returns at once; at most one image a second is kept of each outcome.
  public func keep(of action: String, _ outcome: ActionOutcome) {
    guard isDue(outcome, MonotonicClock.now()) else { return }
    let time = Int64(time(nil))
    tasks.begin { [folder, takeImage, logger] in
      guard let image = await takeImage() else { return }
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
