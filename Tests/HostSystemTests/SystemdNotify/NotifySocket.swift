import Foundation
import SystemSupport

/// A real `NOTIFY_SOCKET` in a folder of its own, which goes with it.
final class NotifySocket {
  private let directory: String
  private let descriptor: CInt

  init() throws {
    directory = NSTemporaryDirectory() + "notify-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
    let path = directory + "/socket"
    guard var address = UnixAddress(path: path) else { throw POSIXError(.ENAMETOOLONG) }
    let code = address.withPointer { bind(descriptor, $0, $1) }
    guard descriptor >= 0, code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    setenv("NOTIFY_SOCKET", path, 1)
  }

  deinit {
    unsetenv("NOTIFY_SOCKET")
    close(descriptor)
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// The datagrams that have arrived.
  func receiveAll() -> [String] {
    var messages: [String] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
      guard count > 0 else { return messages }
      messages.append(String(decoding: buffer[..<count], as: UTF8.self))
    }
  }
}
