import MediaCore

/// One position report of gpsd, as it came.
struct GPSReport: Sendable {
  var mode: Int
  var latitude: Double
  var longitude: Double
  /// Metres; NaN when gpsd does not tell.
  var horizontalError: Double
  var errorX: Double
  var errorY: Double
  /// Seconds since 1970; zero when gpsd does not tell.
  var time: Int64
  /// Metres per second; NaN when gpsd does not tell.
  var speed = Double.nan
  var speedError = Double.nan
}

extension PositionFix {
  /// 2020-01-01: a receiver that believes in an earlier day has not found itself yet, or its week count rolled over.
  private static let earliestTime: Int64 = 1_577_836_800
  /// Metres per second: nothing that carries a device is as fast.
  private static let highestSpeed = 1_000.0

  /// A fix that can be believed: at least two-dimensional, finite, on the globe, and not from the past.
  ///
  /// A report without a time is taken; one with a time before 2020 is not.
  init?(_ report: GPSReport) {
    guard report.mode >= 2, report.latitude.isFinite, report.longitude.isFinite else { return nil }
    guard abs(report.latitude) <= 90, abs(report.longitude) <= 180 else { return nil }
    guard report.time == 0 || report.time >= Self.earliestTime else { return nil }
    self.init(
      latitude: report.latitude, longitude: report.longitude, horizontalError: Self.horizontalError(report),
      isThreeDimensional: report.mode >= 3, time: report.time == 0 ? nil : report.time,
      speed: (0...Self.highestSpeed).contains(report.speed) ? report.speed : nil,
      speedError: report.speedError.isFinite && report.speedError >= 0 ? report.speedError : nil)
  }

  private static func horizontalError(_ report: GPSReport) -> Double? {
    let byAxis = (report.errorX * report.errorX + report.errorY * report.errorY).squareRoot()
    return [report.horizontalError, byAxis].first { $0.isFinite && $0 >= 0 }
  }
}
