import Foundation

/// A real `NOTIFY_SOCKET` in a folder of its own, which goes with it.
final class NotifySocket {
  private let directory: String
  private let descriptor: CInt

  init() throws {
    directory = NSTemporaryDirectory() + "notify-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
    let path = directory + "/socket"
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
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
