import Archive
import MediaPipeline

/// What archives and the loudspeaker report from threads of their own, in order.
final class DeviceMediaInputs: Sendable {
  /// All of them: an archive reports a handful in its life, since each kind comes once a stream at most.
  let archiveEvents: AsyncStream<ArchiveEvent>
  /// The latest, of which the last one says how it is.
  let playoutEvents: AsyncStream<AudioPlayoutEvent>
  private let archives: AsyncStream<ArchiveEvent>.Continuation
  private let playouts: AsyncStream<AudioPlayoutEvent>.Continuation

  init() {
    (archiveEvents, archives) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
    (playoutEvents, playouts) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
  }

  func report(_ event: ArchiveEvent) { archives.yield(event) }

  func report(_ event: AudioPlayoutEvent) { playouts.yield(event) }

  func finish() {
    archives.finish()
    playouts.finish()
  }
}
