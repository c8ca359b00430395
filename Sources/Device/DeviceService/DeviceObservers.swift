import Archive
import ArchiveUpload
import DeviceConfiguration
import DeviceEvents
import DeviceMedia
import Logging
import MediaCore
import MediaPipeline

/// Those who take or mark the device's video and audio beside calls and recordings. Of cameras nil names the main one.
struct DeviceObservers: Sendable {
  let events: EventService
  let archives = ArchiveLife()
  /// One each, for text in frames of its size.
  private let overlaysByCamera: [String?: FrameOverlay]
  private let stillsByCamera: [String?: SnapshotEncoder]
  /// Where a mosaic takes frames; none where there is only one camera.
  private let tapsByCamera: [String?: FrameTap]

  /// - Parameter clock: by which events become too old.
  init(_ configuration: DeviceConfiguration, clock: RetentionClock, logger: Logger) {
    let cameras = [nil] + configuration.cameras.map { Optional($0.name) }
    var overlays: [String?: FrameOverlay] = [:]
    for camera in cameras { overlays[camera] = configuration.overlay?.makeOverlay() }
    overlaysByCamera = overlays
    tapsByCamera = Dictionary(
      uniqueKeysWithValues: configuration.cameras.isEmpty ? [] : cameras.map { ($0, FrameTap()) })
    stillsByCamera = Dictionary(uniqueKeysWithValues: cameras.map { ($0, SnapshotEncoder()) })
    events = EventService(configuration, overlays: overlays, settledTime: { clock.now() }, logger: logger)
  }

  /// What is drawn into the frames of all cameras.
  var overlays: [FrameOverlay] { Array(overlaysByCamera.values) }

  /// Serves snapshots.
  func stills(of camera: String?) -> SnapshotEncoder { stillsByCamera[camera] ?? SnapshotEncoder() }

  /// Takes snapshots with the cameras.
  func makeSnapshots(_ media: DeviceMedia) -> CameraSnapshots {
    let all = stillsByCamera.map { camera, stills in
      let snapshots = Snapshots(media, of: camera) { limit in
        await stills.next(within: .nanoseconds(limit.nanoseconds))
      }
      return (camera, snapshots)
    }
    return CameraSnapshots(Dictionary(uniqueKeysWithValues: all))
  }

  func media(of camera: String?) -> MediaObservers {
    var observers = MediaObservers(
      overlay: overlaysByCamera[camera], stills: stills(of: camera), scene: events.scene(of: camera),
      sound: camera == nil ? events.sound : nil)
    observers.tap = tapsByCamera[camera]
    return observers
  }
}
