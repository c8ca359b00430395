public import DeviceConfiguration
import EventDetection
public import MediaPipeline
import Signalling

/// The sources of events, each with an id that identifies its steps, and what watchers are to do for them.
///
/// A source keeps its id for as long as it is unchanged; a changed one gets another, and ids are not reused.
public struct EventSources: Sendable {
  public private(set) var settings: EventSettings
  /// In the order of the settings.
  private var numbered: [(id: Int, source: EventSourceSettings)] = []
  private var nextID = 0
  private let cameras: [CameraSettings]

  /// - Parameter cameras: the further ones.
  public init(_ settings: EventSettings, _ cameras: [CameraSettings]) {
    self.settings = settings
    self.cameras = cameras
    apply(settings)
  }

  /// Takes over other settings; sources watch the same cameras.
  public mutating func apply(_ settings: EventSettings) {
    self.settings = settings
    let old = numbered
    numbered = settings.sources.map { source in
      if let known = old.first(where: { $0.source == source }) { return known }
      defer { nextID += 1 }
      return (nextID, source)
    }
  }

  /// As events name them, by their ids.
  public var centerSources: [Int: EventCenter.Source] {
    Dictionary(
      uniqueKeysWithValues: numbered.map { id, source in
        (id, EventCenter.Source(name: source.name, kind: source.kind, camera: source.camera))
      })
  }

  /// What is detected in each camera's frames, the main one's by nil; also in those for which that is nothing.
  public var sceneSettings: [String?: SceneWatchSettings] {
    let all = [nil] + cameras.map(Optional.some)
    return Dictionary(
      uniqueKeysWithValues: all.map { camera in
        (camera?.name, SceneWatchSettings(motion: settings.motion(of: camera), sources: sceneSources(camera?.name)))
      })
  }

  private func sceneSources(_ camera: String?) -> [SceneWatchSettings.Source] {
    numbered.compactMap { id, source in
      guard source.camera == camera, case .frames(let detector) = source.watching else { return nil }
      return SceneWatchSettings.Source(id: id, detector: detector)
    }
  }

  /// What positions are judged for.
  public var placeSources: [GeofenceMonitor.Source] {
    numbered.compactMap { id, source in
      guard case .positions(let detector) = source.watching else { return nil }
      return GeofenceMonitor.Source(id: id, detector: detector)
    }
  }

  /// What is monitored in the machine itself.
  public var hardwareSources: [HardwareWatch.Source] {
    numbered.compactMap { id, source in
      guard case .sensor(let condition) = source.watching else { return nil }
      return HardwareWatch.Source(id: id, name: source.name, condition: condition, timing: source.timing)
    }
  }

  /// Whose levels are followed.
  public var inputSources: [InputWatch.Source] {
    numbered.compactMap { id, source in
      guard case .input(let place) = source.watching else { return nil }
      return InputWatch.Source(id: id, name: source.name, place: place, timing: source.timing)
    }
  }

  /// What is listened for.
  public var soundSettings: SoundWatchSettings {
    SoundWatchSettings(
      sources: numbered.compactMap { id, source in
        guard case .sound(let detector) = source.watching else { return nil }
        return SoundWatchSettings.Source(id: id, detector: detector)
      })
  }
}

extension EventSettings {
  /// What events and their images may take.
  public var limits: EventFolder.Limits { EventFolder.Limits(maximumAge: maximumAge, maximumTotal: maximumTotal) }
}
