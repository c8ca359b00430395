import CLinux
import Glibc
import MediaCore
import RealtimeRuntime
import SystemSupport

/// The result of looking up a name.
struct NameResolution: Sendable {
  /// The lookup's, as it was asked for.
  let id: UInt32
  let result: Result<[TransportAddress], NameResolutionError>
}

/// Why a name has no address.
struct NameResolutionError: Error, Equatable, Sendable, CustomStringConvertible {
  let description: String

  static let busy = NameResolutionError(description: "too many names are being looked up")
  static let late = NameResolutionError(description: "looking up the name took more than 5 s")
}

/// Looks up hosts' names on threads of its own, since the C library may block for half a minute.
///
/// Threads begin when there is something to look up and end when there is nothing. The caller keeps the timeout: a
/// thread that hangs cannot be cancelled, but there are few.
final class NameResolver: Sendable {
  typealias LookUp = @Sendable (_ host: String, _ port: UInt16) -> Result<[TransportAddress], NameResolutionError>

  /// The caller's timeout.
  static let limit = TimeSpan.seconds(5)
  private static let maximumThreads = 4
  private static let maximumWaiting = 64
  private static let maximumAddresses = 4

  private struct Request {
    let id: UInt32
    let host: String
    let port: UInt16
  }

  private struct State {
    var waiting = BoundedQueue<Request>(capacity: NameResolver.maximumWaiting)
    var threadCount = 0
  }

  private let state = Mutex(State())
  private let lookUp: LookUp
  private let deliver: @Sendable (NameResolution) -> Void

  /// - Parameter deliver: called once for each lookup, on one of the threads.
  init(
    lookUp: @escaping LookUp = NameResolver.askSystem, deliver: @escaping @Sendable (NameResolution) -> Void
  ) {
    self.lookUp = lookUp
    self.deliver = deliver
  }

  /// Begins a lookup; returns false when too many wait already.
  func resolve(_ host: String, port: UInt16, id: UInt32) -> Bool {
    let (isTaken, needsThread) = state.withLock { state in
      guard state.waiting.append(Request(id: id, host: host, port: port)) else { return (false, false) }
      guard state.threadCount < Self.maximumThreads else { return (true, false) }
      state.threadCount += 1
      return (true, true)
    }
    if needsThread { startThread() }
    return isTaken
  }

  private func startThread() {
    do {
      try MediaThread(name: "ls-resolver") { while self.serveOne() {} }.detach()
    } catch {
      // The lookup runs into its time limit, unless another thread finds it.
      state.withLock { $0.threadCount -= 1 }
    }
  }

  /// Returns false when there is nothing to do: the thread ends.
  private func serveOne() -> Bool {
    let next = state.withLock { state -> Request? in
      let next = state.waiting.popFirst()
      if next == nil { state.threadCount -= 1 }
      return next
    }
    guard let next else { return false }
    deliver(NameResolution(id: next.id, result: lookUp(next.host, next.port)))
    return true
  }

  @Sendable static func askSystem(_ host: String, _ port: UInt16) -> Result<[TransportAddress], NameResolutionError> {
    withUnsafeTemporaryAllocation(of: ls_address.self, capacity: maximumAddresses) { buffer in
      let count = ls_resolve(host, port, buffer.baseAddress, CInt(maximumAddresses))
      guard count > 0 else {
        let reason = count < 0 ? String(cString: gai_strerror(count)) : "no address"
        return .failure(NameResolutionError(description: "the name cannot be looked up: \(reason)"))
      }
      return .success(buffer.prefix(Int(count)).map { TransportAddress($0) })
    }
  }
}
