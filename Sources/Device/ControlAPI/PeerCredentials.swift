import Glibc
import NIOCore

/// Who is at the other end of a Unix socket, as the kernel knows it (`struct ucred`).
struct PeerCredentials: Sendable, Hashable {
  var processID: Int32
  var userID: UInt32
  var groupID: UInt32

  static func read(from channel: any Channel) async throws -> PeerCredentials? {
    guard let provider = channel as? any SocketOptionProvider else { return nil }
    return try await provider.unsafeGetSocketOption(level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
      .get()
  }
}
