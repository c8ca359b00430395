import Foundation

/// Notifies systemd (`Type=notify`) of the service's state: one datagram to `$NOTIFY_SOCKET`, see sd_notify(3).
///
/// Without that variable nothing is sent; a failure is not worth stopping for.
func notifyServiceManager(_ state: String) {
  guard let path = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@")
  else { return }
  var address = sockaddr_un()
  let name = Array(path.utf8)
  guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { bytes in
    bytes.copyBytes(from: name)
    if path.hasPrefix("@") { bytes[0] = 0 }
  }
  let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  guard descriptor >= 0 else { return }
  defer { close(descriptor) }
  let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
  let message = Array(state.utf8)
  _ = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), $0, length)
    }
  }
}
