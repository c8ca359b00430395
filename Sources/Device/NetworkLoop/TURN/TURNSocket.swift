import CLinux
import Glibc
import MediaCore
import RealtimeRuntime
import SystemSupport

/// A non-blocking socket to one server: datagrams, or a stream whose connection may still be under way.
final class TURNSocket {
  /// The result of reading or writing.
  enum Outcome: Equatable {
    /// In octets.
    case moved(Int)
    /// Later.
    case wouldBlock
    case failed(SystemCallError)
    /// The server has ended its stream.
    case ended
  }

  let fileDescriptor: CInt
  let server: TransportAddress
  let isStream: Bool
  /// What epoll watches: nil for nothing yet, and whether output is included.
  private var watchesOutput: Bool?

  init(to server: TransportAddress, isStream: Bool) throws(SystemCallError) {
    fileDescriptor = ls_connect(server.native, isStream ? 1 : 0)
    guard fileDescriptor >= 0 else { throw .last("connect") }
    self.server = server
    self.isStream = isStream
  }

  deinit { close(fileDescriptor) }

  /// Where the kernel has what is sent leave from, as it chose when the socket was made.
  var localAddress: TransportAddress? {
    var address = ls_address()
    return ls_local_address(fileDescriptor, &address) == 0 ? TransportAddress(address) : nil
  }

  /// Where the kernel would have it leave from now; nil while no route leads to the server. Nothing is sent.
  static func localAddress(towards server: TransportAddress) -> TransportAddress? {
    (try? TURNSocket(to: server, isStream: false))?.localAddress
  }

  /// Has epoll watch the socket for input, and for output if that is wanted.
  func watch(with epoll: borrowing Epoll, token: UInt64, output: Bool) throws(SystemCallError) {
    guard watchesOutput != output else { return }
    if watchesOutput == nil { try epoll.add(fileDescriptor, token: token) }
    try epoll.watchOutput(of: fileDescriptor, token: token, output)
    watchesOutput = output
  }

  /// Why the connection did not come up, once the socket can be written to; nil when it did.
  func takeError() -> SystemCallError? {
    let error = ls_socket_error(fileDescriptor)
    return error == 0 ? nil : SystemCallError(call: "connect", errno: error)
  }

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
    let count = ls_receive(fileDescriptor, buffer.baseAddress, buffer.count)
    if count == 0, isStream { return .ended }
    return count >= 0 ? .moved(count) : failure("recv")
  }

  func send(_ octets: UnsafeRawBufferPointer) -> Outcome {
    let count = ls_send(fileDescriptor, octets.baseAddress, octets.count)
    return count >= 0 ? .moved(count) : failure("send")
  }

  /// A datagram that is lost for the moment is no failure: the path may come back. A server that is not there is one.
  private func failure(_ call: String) -> Outcome {
    let error = SystemCallError.last(call)
    if error.errno == EAGAIN || error.errno == EINTR { return .wouldBlock }
    return isStream || error.errno == ECONNREFUSED ? .failed(error) : .wouldBlock
  }
}
