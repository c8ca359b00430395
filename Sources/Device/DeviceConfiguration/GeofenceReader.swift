import ConfigFile
import EventDetection
import MediaCore

/// Reads `[[geofence]]`.
struct GeofenceReader {
  let table: ConfigTable

  private static let radii = 10.0...EarthArea.farthestCorner
  private static let corners = 3...64
  private static let example = "[[52.51, 13.37], [52.52, 13.37], [52.52, 13.39]]"

  /// The tables with what they say; nil where they have mistakes, which are told.
  static func sources(_ root: ConfigTable) -> [(ConfigTable, EventSourceSettings?)] {
    let tables = root.tables("geofence")
    if tables.count > EventSourceSettings.most {
      root.addError("there are \(tables.count) geofences, more than \(EventSourceSettings.most)", at: "geofence")
    }
    return tables.map { ($0, GeofenceReader(table: $0).source()) }
  }

  /// Nil where the file has mistakes, which are told.
  private func source() -> EventSourceSettings? {
    let name = table.name(example: "depot")
    let occasion = table.choice("on", as: Geofence.Occasion.self) ?? .leave
    let stay = TimeSpan(table.duration("min_stay", default: .seconds(10), in: .seconds(1) ... .seconds(600)))
    let (circle, polygon) = (circle(), polygon())
    if !["latitude", "longitude", "radius", "polygon"].contains(where: table.contains) {
      table.addError("there is no area", remedy: "set latitude, longitude and radius, or polygon")
    }
    guard let name, circle != nil || polygon != nil else { return nil }
    let fence = Geofence(area: EarthArea(circle: circle, polygon: polygon), occasion: occasion, stay: stay)
    return EventSourceSettings(name: name, kind: .geofence(fence), timing: .debouncedElsewhere)
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
