import Glibc
import SystemSupport

/// A blocking client of the control socket, for programs without an event loop.
public struct ControlClient: ~Copyable {
  private let descriptor: CInt
  private var framer = VarlinkFramer(limit: Self.replyLimit)

  /// Lists can be long; the daemon is trusted further than its clients.
  private static let replyLimit = 64 * 1_048_576

  /// Connects to the daemon's socket at `path`.
  public init(path: String) throws(ControlClientError) {
    descriptor = try Self.connected(to: path)
  }

  deinit { close(descriptor) }

  /// Calls a method and waits for its reply.
  ///
  /// - Parameter timeout: silence after which the daemon counts as stuck; zero waits forever.
  public mutating func call<Parameters, Reply>(
    _ method: DeviceMethod<Parameters, Reply>, _ parameters: Parameters, timeout: Duration = .seconds(30)
  ) throws(ControlClientError) -> Reply {
    try send(method, parameters, wantsMore: false)
    Self.setTimeout(descriptor, SO_RCVTIMEO, timeout)
    guard let message = try receive() else { throw .disconnected }
    return try decode(Reply.self, message).parameters
  }

  /// Calls a method without parameters and waits for its reply.
  public mutating func call<Reply>(
    _ method: DeviceMethod<NoParameters, Reply>, timeout: Duration = .seconds(30)
  ) throws(ControlClientError) -> Reply {
    try call(method, NoParameters(), timeout: timeout)
  }

  /// Asks for events and hands them out until `body` returns false or the daemon ends the connection, as it does when it
  /// stops.
  public mutating func monitor(_ body: (DeviceEvent) -> Bool) throws(ControlClientError) {
    try follow(.monitor, NoParameters()) { body($0.event) }
  }

  /// Calls a method that replies more than once, and hands the replies out until `body` returns false, the last one has
  /// come or the daemon ends the connection.
  public mutating func follow<Parameters, Reply>(
    _ method: DeviceMethod<Parameters, Reply>, _ parameters: Parameters, _ body: (Reply) -> Bool
  ) throws(ControlClientError) {
    try send(method, parameters, wantsMore: true)
    Self.setTimeout(descriptor, SO_RCVTIMEO, .zero)
    while let message = try receive() {
      let reply = try decode(Reply.self, message)
      guard body(reply.parameters), reply.continues else { return }
    }
  }
}

extension ControlClient {
  private static func connected(to path: String) throws(ControlClientError) -> CInt {
    guard var address = UnixAddress(path: path) else { throw .system("the socket's path is too long: \(path)") }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .system(text(errno)) }
    setTimeout(descriptor, SO_SNDTIMEO, .seconds(10))
    guard address.withPointer({ connect(descriptor, $0, $1) }) != 0 else { return descriptor }
    let code = errno
    close(descriptor)
    switch code {
    case ENOENT, ECONNREFUSED: throw .notRunning(path: path)
    case EACCES, EPERM: throw .permissionDenied(path: path)
    default: throw .system("\(path): \(text(code))")
    }
  }

  private func send<Parameters, Reply>(
    _ method: DeviceMethod<Parameters, Reply>, _ parameters: Parameters, wantsMore: Bool
  ) throws(ControlClientError) {
    guard let message = try? VarlinkCall.encode(method.qualifiedName, parameters, wantsMore: wantsMore) else {
      throw .malformedReply
    }
    var rest = message[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw errno == EPIPE ? .disconnected : .system(Self.text(errno))
      }
    }
  }

  /// The next message; nil when the daemon has closed the connection.
  private mutating func receive() throws(ControlClientError) -> [UInt8]? {
    while true {
      do {
        if let message = try framer.next() { return message }
      } catch {
        throw .malformedReply
      }
      var failure: CInt = 0
      let chunk = [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
        let result = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        count = max(result, 0)
        if result < 0 { failure = errno }
      }
      switch failure {
      case 0 where chunk.isEmpty, ECONNRESET: return nil
      case 0: framer.append(chunk)
      case EINTR: continue
      case EAGAIN: throw .timedOut
      default: throw .system(Self.text(failure))
      }
    }
  }

  private func decode<Reply: Decodable>(
    _ type: Reply.Type, _ message: [UInt8]
  ) throws(ControlClientError) -> (parameters: Reply, continues: Bool) {
    do {
      return try VarlinkReply.decode(Reply.self, from: message)
    } catch let error as VarlinkError {
      throw error.deviceControlError.map { .refused($0) } ?? .incompatible(error.name)
    } catch {
      throw .malformedReply
    }
  }

  private static func setTimeout(_ descriptor: CInt, _ option: CInt, _ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let microseconds = attoseconds / 1_000_000_000_000
    var time = timeval(tv_sec: time_t(clamping: seconds), tv_usec: suseconds_t(clamping: microseconds))
    setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  private static func text(_ code: CInt) -> String { String(cString: strerror(code)) }
}
