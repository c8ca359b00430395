import CGPS

/// A connection to gpsd, owned by one thread: libgps keeps no locks.
struct GPSDConnection: ~Copyable {
  /// The outcome of waiting for a report.
  enum Outcome {
    case report(GPSReport)
    /// Nothing within the time, or a report about something other than a position.
    case nothing
    case closed
  }

  /// gpsd cannot be reached; with libgps's message.
  struct OpenError: Error {
    var cause: String
  }

  private let data: UnsafeMutableRawPointer
  /// That the receiver used, as gpsd reported last.
  private var satellites: Int?

  init(host: String, port: String) throws(OpenError) {
    guard let data = cgps_allocate() else { throw OpenError(cause: "out of memory") }
    let code = cgps_open(data, host, port)
    guard code == 0 else {
      cgps_free(data)
      throw OpenError(cause: Self.cause(code, host: host, port: port))
    }
    guard cgps_watch(data) == 0 else {
      cgps_close(data)
      cgps_free(data)
      throw OpenError(cause: "gps_stream failed")
    }
    self.data = data
  }

  private static func cause(_ code: Int32, host: String, port: String) -> String {
    switch code {
    case cgps_no_connection: "nothing accepts connections at \(host), port \(port)"
    case cgps_no_host: "the host name \(host) is not known"
    case cgps_no_service: "\(port) is no port"
    default: cgps_error(code).map { String(cString: $0) } ?? "gps_open failed with \(code)"
    }
  }

  deinit {
    cgps_close(data)
    cgps_free(data)
  }

  /// Waits for the next report, at most until `alarm` rings; a negative time has no limit.
  mutating func next(alarm: Int32, milliseconds: Int32) -> Outcome {
    switch cgps_wait(data, alarm, milliseconds) {
    case 0: return .nothing
    case 1: break
    default: return .closed
    }
    guard cgps_read(data) >= 0 else { return .closed }
    let satellites = cgps_satellites(data)
    if satellites >= 0 { self.satellites = Int(clamping: satellites) }
    var fix = cgps_fix()
    guard cgps_latest_fix(data, &fix) == 1 else { return .nothing }
    return .report(
      GPSReport(
        mode: Int(fix.mode), latitude: fix.latitude, longitude: fix.longitude, horizontalError: fix.horizontal_error,
        errorX: fix.horizontal_error_x, errorY: fix.horizontal_error_y, time: fix.time_seconds,
        speed: fix.speed, speedError: fix.speed_error, satellites: self.satellites))
  }
}
