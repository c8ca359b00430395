import ConfigFile
import MediaCore

extension ConfigTable {
  /// Corners such as `[[0.1, 0.5], [0.9, 0.5], [0.5, 1.0]]`, in fractions of the frame.
  func polygon(_ key: String) -> FramePolygon? { node(key).flatMap { polygon($0, key) } }

  /// An array of polygons; none when the file has none.
  func polygons(_ key: String) -> [FramePolygon] {
    guard let node = node(key) else { return [] }
    guard case .array(let elements) = node.value, elements.count <= 16 else {
      refusePolygon(key)
      return []
    }
    return elements.compactMap { polygon($0, key) }
  }

  private func polygon(_ node: ConfigNode, _ key: String) -> FramePolygon? {
    guard case .array(let elements) = node.value, let polygon = FramePolygon(corners: elements.compactMap(corner)),
      polygon.corners.count == elements.count
    else {
      refusePolygon(key)
      return nil
    }
    return polygon
  }

  private func corner(_ node: ConfigNode) -> FramePolygon.Point? {
    guard case .array(let numbers) = node.value, numbers.count == 2, let x = numbers[0].value.double,
      let y = numbers[1].value.double
    else { return nil }
    return FramePolygon.Point(x: x, y: y)
  }

  private func refusePolygon(_ key: String) {
    let example = "[[0.1, 0.5], [0.9, 0.5], [0.5, 1.0]]"
    addError(
      "\(key) has a polygon that is none: 3 to 32 corners, each two fractions of the frame between 0 and 1",
      remedy: "write for example \(key) = \(key == "masks" ? "[\(example)]" : example)", at: key)
  }
}
