public import EventDetection
public import MediaCore
public import Signalling

/// The device crosses a border: `[[geofence]]`.
public struct GeofenceSource: EventSource {
  public static let kind = EventKind.geofence

  public let fence: Geofence

  public func watching(_ timing: EventTiming) -> EventWatching { .positions(GeofenceDetector(fence)) }

  public func delay(_ timing: EventTiming) -> TimeSpan { fence.stay + .seconds(2) }
}
