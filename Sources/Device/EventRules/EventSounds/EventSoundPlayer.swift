public import CallEngine
public import Logging
public import MediaPlaneAPI

/// Plays what ``EventSounds`` decides.
public struct EventSoundPlayer: Sendable {
  private let files: EventSoundFiles
  private let media: any MediaPlane
  private let logger: Logger
  private let isQuiet: @Sendable () -> Bool

  /// - Parameter isQuiet: asked at each event.
  public init(
    _ files: EventSoundFiles, media: any MediaPlane, logger: Logger, isQuiet: @escaping @Sendable () -> Bool
  ) {
    self.files = files
    self.media = media
    self.logger = logger
    self.isQuiet = isQuiet
  }

  /// Runs until `events` end.
  public func run(_ events: AsyncStream<EngineEvent>) async {
    var sounds = EventSounds(files)
    var problems: Set<String> = []
    for await event in events {
      for action in sounds.take(event, isQuiet: isQuiet()) {
        do {
          try await perform(action)
          problems = []
        } catch {
          // A file that is absent is reported once, not at each call.
          if problems.insert("\(error)").inserted { logger.warning("no sound: \(error); see [sounds]") }
        }
      }
    }
    try? await media.setRing(nil)
  }

  private func perform(_ action: EventSoundAction) async throws {
    switch action {
    case .ring(let sound): try await media.setRing(sound)
    case .stopRinging: try await media.setRing(nil)
    case .play(let sound): try await media.announce(sound)
    }
  }
}
