internal import FoundationEssentials
internal import Signalling

#if canImport(Glibc)
  internal import Glibc
#endif

/// Who may be near a place: the slots of all users with a position, by cells of a quarter of a degree.
///
/// A search reads the cells that its circle may touch, and finds a superset of those within: the caller measures. Positions
/// may be taken exact or rounded, which is less than ``slack`` away.
struct PlaceGrid {
  private static let cellsPerDegree = 4.0
  private static let (rows, columns) = (720, 1_440)
  private static let metresPerDegree = earthRadius * .pi / 180
  /// Metres by which a rounded position may differ, and calculation may err.
  private static let slack = 2_000.0
  /// A search of more cells than that may as well scan everyone.
  private static let maxCells = 2_048

  private struct Place {
    var cell: Int
    /// Within the cell.
    var index: Int
  }

  private var cells: [Int: [Int]] = [:]
  private var places: [Int: Place] = [:]

  /// Puts a user where it is now; nil takes it out.
  mutating func place(_ slot: Int, at location: UserLocation?) {
    let cell = location.map { Self.row($0.latitude) * Self.columns + Self.column($0.longitude) }
    guard places[slot]?.cell != cell else { return }
    remove(slot)
    guard let cell else { return }
    places[slot] = Place(cell: cell, index: cells[cell]?.count ?? 0)
    cells[cell, default: []].append(slot)
  }

  mutating func remove(_ slot: Int) {
    guard let place = places.removeValue(forKey: slot), let last = cells[place.cell]?.popLast() else { return }
    if last != slot {
      cells[place.cell]?[place.index] = last
      places[last]?.index = place.index
    }
    if cells[place.cell]?.isEmpty == true { cells[place.cell] = nil }
  }

  /// A user has another slot from now on, which is free.
  mutating func renumber(_ slot: Int, as other: Int) {
    guard let place = places.removeValue(forKey: slot) else { return }
    places[other] = place
    cells[place.cell]?[place.index] = other
  }

  /// Hands over the slots of all who may be within `radius` metres; returns false when that would be nearly everyone.
  func forEach(around origin: UserLocation, within radius: Double, _ body: (Int) -> Void) -> Bool {
    let reach = (radius * 1.01 + Self.slack) / Self.metresPerDegree
    guard reach < 45, origin.isPlausible else { return false }
    let rows = Self.row(origin.latitude - reach)...Self.row(origin.latitude + reach)
    let width = Self.longitudes(origin.latitude, reach: reach)
    let count = min(Self.columns, (Int(exactly: (2 * width * Self.cellsPerDegree).rounded(.up)) ?? Self.columns) + 2)
    guard rows.count * count <= Self.maxCells else { return false }
    let first = Self.column(origin.longitude - width)
    for row in rows {
      for offset in 0..<count {
        cells[row * Self.columns + (first + offset) % Self.columns]?.forEach(body)
      }
    }
    return true
  }

  /// How many degrees of longitude a circle reaches to either side; all of them around a pole.
  private static func longitudes(_ latitude: Double, reach: Double) -> Double {
    guard abs(latitude) + reach < 89 else { return 180 }
    return asin(min(1, sin(reach * .pi / 180) / cos(latitude * .pi / 180))) * 180 / .pi
  }

  private static func row(_ latitude: Double) -> Int {
    let row = ((latitude + 90) * cellsPerDegree).rounded(.down)
    return min(max(Int(exactly: row) ?? 0, 0), rows - 1)
  }

  /// Longitudes wrap around.
  private static func column(_ longitude: Double) -> Int {
    let column = ((longitude + 180) * cellsPerDegree).rounded(.down)
    let wrapped = (Int(exactly: column) ?? 0) % columns
    return wrapped < 0 ? wrapped + columns : wrapped
  }
}
