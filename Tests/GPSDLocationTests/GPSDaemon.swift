import Foundation

/// A real gpsd on a free port of the loopback, fed with NMEA sentences by UDP.
final class GPSDaemon {
  let port: UInt16
  private let feedPort: UInt16
  private var process: Process?
  private let feeder: CInt

  static let path = "/usr/sbin/gpsd"
  static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

  init() throws {
    port = try Self.freePort(CInt(SOCK_STREAM.rawValue))
    feedPort = try Self.freePort(CInt(SOCK_DGRAM.rawValue))
    feeder = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
  }

  deinit {
    stop()
    close(feeder)
  }

  func start() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.path)
    process.arguments = ["-N", "-n", "-b", "-S", String(port), "udp://127.0.0.1:\(feedPort)"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    self.process = process
  }

  func stop() {
    guard let process else { return }
    // A child of a pool thread inherits its signal mask, so that gpsd never sees SIGTERM.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    self.process = nil
  }

  /// Sends one second's worth of sentences: time, date, and a position of good quality.
  func feed(latitude: Double, longitude: Double, second: Int, date: String = "211126") {
    let time = String(format: "12%02d%02d.00", second / 60, second % 60)
    let place =
      "\(Self.degrees(latitude, 2)),\(latitude < 0 ? "S" : "N"),"
      + "\(Self.degrees(longitude, 3)),\(longitude < 0 ? "W" : "E")"
    send("GPGGA,\(time),\(place),1,08,1.0,40.0,M,47.0,M,,")
    send("GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,1.8,1.0,1.5")
    send("GPRMC,\(time),A,\(place),0.0,0.0,\(date),,,A")
  }

  private func send(_ body: String) {
    let checksum = body.utf8.reduce(0) { $0 ^ $1 }
    let sentence = Array("$\(body)*\(String(format: "%02X", checksum))\r\n".utf8)
    var address = Self.loopback(feedPort)
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(feeder, sentence, sentence.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private static func degrees(_ value: Double, _ digits: Int) -> String {
    let whole = Int(abs(value))
    return String(format: "%0\(digits)d%07.4f", whole, (abs(value) - Double(whole)) * 60)
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  private static func freePort(_ type: CInt) throws -> UInt16 {
    let descriptor = socket(AF_INET, type, 0)
    defer { close(descriptor) }
    var address = loopback(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard code else { throw POSIXError(.EADDRNOTAVAIL) }
    return UInt16(bigEndian: address.sin_port)
  }
}
