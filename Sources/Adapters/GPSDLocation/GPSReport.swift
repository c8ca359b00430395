import MediaCore

/// One position report of gpsd, as it came.
struct GPSReport: Sendable {
  var mode: Int
  var latitude: Double
  var longitude: Double
  /// Metres; NaN when gpsd does not report it.
  var horizontalError: Double
  var errorX: Double
  var errorY: Double
  /// Seconds since 1970; zero when gpsd does not report it.
  var time: Int64
  /// Metres per second; NaN when gpsd does not report it.
  var speed = Double.nan
  var speedError = Double.nan
  /// That the receiver used, as gpsd reported last; nil when it does not report it.
  var satellites: Int?
}

extension PositionFix {
  /// Metres per second: nothing that carries a device is as fast.
  private static let highestSpeed = 1_000.0

  /// A fix that is one: at least two-dimensional, finite, on the globe, and resting on something: an estimated error, or
  /// satellites where they are known. A time is taken as the receiver has it.
  init?(_ report: GPSReport) {
    guard report.mode >= 2, report.latitude.isFinite, report.longitude.isFinite else { return nil }
    guard abs(report.latitude) <= 90, abs(report.longitude) <= 180 else { return nil }
    let horizontalError = Self.horizontalError(report)
    guard horizontalError != nil || report.satellites != 0 else { return nil }
    self.init(
      latitude: report.latitude, longitude: report.longitude, horizontalError: horizontalError,
      isThreeDimensional: report.mode >= 3, time: report.time == 0 ? nil : report.time,
      speed: (0...Self.highestSpeed).contains(report.speed) ? report.speed : nil,
      speedError: report.speedError.isFinite && report.speedError >= 0 ? report.speedError : nil)
  }

  /// Drivers report an error of 0 before they have an estimate.
  private static func horizontalError(_ report: GPSReport) -> Double? {
    let byAxis = (report.errorX * report.errorX + report.errorY * report.errorY).squareRoot()
    return [report.horizontalError, byAxis].first { $0.isFinite && $0 > 0 }
  }
}
