import ConfigFile
import EventDetection
import MediaCore

/// Reads `[[geofence]]`.
struct GeofenceReader {
  let table: ConfigTable

  private struct Keys: SettingGroup {
    var name: String?
    var occasion = Geofence.Occasion.leave
    var stay = TimeSpan.seconds(10)
  }

  static let section = SettingSection<DeviceConfiguration>(
    "geofence", .array, whole: \.events.sources, effect: .reload,
    """
    A source of events of the kind geofence, by the positions of gpsd (guides/vehicle.md); up to \
    \(EventSourceSettings.maxCount). It needs [location] to be enabled, without static.
    """, settings: settings)

  private static let settings: [Setting<Keys>] = [
    Setting(
      "name", \.name, .tableName, example: "\"depot\"", isRequired: true,
      "No two sources have the same, those of [[event]] among them."),
    Setting("latitude", "number, -90 to 90", example: "52.5163", "Of a circle's centre, in degrees."),
    Setting("longitude", "number, -180 to 180", example: "13.3777", "Of a circle's centre, in degrees."),
    Setting("radius", "distance, 10m to 500km", example: "\"200m\"", "Of the circle."),
    Setting(
      "polygon", "list of 3 to 64 corners", example: example,
      """
      Each corner is a latitude and a longitude, within 500 km of their middle. With a circle beside it the area is \
      both together.
      """),
    Setting(
      "on", \.occasion, .choice(),
      """
      `"leave"`: an event from the moment the device has left until it is back; `"enter"`: from the moment it has \
      entered until it has left; `"both"`: each crossing.
      """),
    Setting(
      "min_stay", \.stay, .timeSpan(.seconds(1) ... .seconds(600)),
      "The device has to be on the other side for this time."),
  ]

  private static let radii = 10.0...EarthArea.farthestCorner
  private static let corners = 3...64
  private static let example = "[[52.51, 13.37], [52.52, 13.37], [52.52, 13.39]]"

  /// The tables with what they say; nil where they have mistakes, which are reported.
  static func sources(_ root: ConfigTable) -> [(ConfigTable, EventSourceSettings?)] {
    let tables = root.tables("geofence")
    if tables.count > EventSourceSettings.maxCount {
      root.addError("there are \(tables.count) geofences, more than \(EventSourceSettings.maxCount)", at: "geofence")
    }
    return tables.map { ($0, GeofenceReader(table: $0).source()) }
  }

  /// Nil where the file has mistakes, which are reported.
  private func source() -> EventSourceSettings? {
    let keys = Self.settings.values(of: table)
    let (circle, polygon) = (circle(), polygon())
    if !["latitude", "longitude", "radius", "polygon"].contains(where: table.contains) {
      table.addError("there is no area", remedy: "set latitude, longitude and radius, or polygon")
    }
    guard let name = keys.name, circle != nil || polygon != nil else { return nil }
    let fence = Geofence(area: EarthArea(circle: circle, polygon: polygon), occasion: keys.occasion, stay: keys.stay)
    return EventSourceSettings(name: name, source: GeofenceSource(fence: fence), timing: .debouncedElsewhere)
  }

  private func circle() -> EarthArea.Circle? {
    let keys = ["latitude", "longitude", "radius"]
    let (latitude, longitude) = (table.number("latitude", in: -90...90), table.number("longitude", in: -180...180))
    let radius = table.distance("radius")
    guard keys.contains(where: table.contains) else { return nil }
    for key in keys where !table.contains(key) {
      table.addMissing(key, example: key == "radius" ? "\"200m\"" : "52.5163")
    }
    if let radius, !Self.radii.contains(radius) {
      table.addError("radius must be 10 m to 500 km", remedy: "write for example radius = \"200m\"", at: "radius")
    }
    guard let latitude, let longitude, let radius else { return nil }
    return EarthPoint(latitude: latitude, longitude: longitude).map { EarthArea.Circle(center: $0, radius: radius) }
  }

  private func polygon() -> EarthArea.Polygon? {
    guard let node = table.node("polygon") else { return nil }
    guard case .array(let elements) = node.value, Self.corners.contains(elements.count),
      case let points = elements.compactMap(Self.corner), points.count == elements.count,
      let polygon = EarthArea.Polygon(corners: points)
    else {
      table.addError(
        "polygon is none: 3 to 64 corners, each a latitude and a longitude, within 500 km of their middle",
        remedy: "write for example polygon = \(Self.example)", at: "polygon")
      return nil
    }
    return polygon
  }

  private static func corner(_ node: ConfigNode) -> EarthPoint? {
    guard case .array(let numbers) = node.value, numbers.count == 2, let latitude = numbers[0].value.double,
      let longitude = numbers[1].value.double
    else { return nil }
    return EarthPoint(latitude: latitude, longitude: longitude)
  }
}
