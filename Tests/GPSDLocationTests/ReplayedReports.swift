import Foundation
import SystemSupport

/// Something on a port of the loopback that sends whoever connects the lines of a fixture, over and over, as gpsd does.
final class ReplayedReports: Sendable {
  let port: UInt16
  private let listener: CInt
  private let lines: [String]
  private let state = Mutex((isStopped: false, rounds: 0))

  init(_ name: String) throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: tests.appending(path: "Fixtures/gpsd/\(name).jsonl"), encoding: .utf8)
    lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
    listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    port = try Self.listen(listener)
    Thread { [self] in serve() }.start()
  }

  /// How often all lines have been sent.
  var rounds: Int { state.withLock { $0.rounds } }

  func stop() {
    state.withLock { $0.isStopped = true }
    shutdown(listener, CInt(SHUT_RDWR))
  }

  private var isStopped: Bool { state.withLock { $0.isStopped } }

  private func serve() {
    while !isStopped {
      let client = accept(listener, nil, nil)
      guard client >= 0 else { break }
      talk(to: client)
      close(client)
    }
    close(listener)
  }

  private func talk(to client: CInt) {
    guard send(#"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#, client) else {
      return
    }
    while !isStopped {
      for line in lines {
        guard send(Self.filled(line), client) else { return }
        usleep(20_000)
      }
      state.withLock { $0.rounds += 1 }
    }
  }

  private func send(_ line: String, _ client: CInt) -> Bool {
    let bytes = Array((line + "\r\n").utf8)
    return Foundation.send(client, bytes, bytes.count, CInt(MSG_NOSIGNAL)) == bytes.count
  }

  private static func filled(_ line: String) -> String {
    let now = Date()
    return line.replacingOccurrences(of: "@NOW-1024W@", with: text(now - 1_024 * 7 * 86_400))
      .replacingOccurrences(of: "@NOW@", with: text(now))
  }

  private static func text(_ date: Date) -> String {
    date.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted))
  }

  private static func listen(_ listener: CInt) throws -> UInt16 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && Foundation.listen(listener, 4) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    guard code else { throw POSIXError(.EADDRNOTAVAIL) }
    return UInt16(bigEndian: address.sin_port)
  }
}
