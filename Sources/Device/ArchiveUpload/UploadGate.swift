import SystemSupport
import MediaCore
import NIOCore
import RealtimeRuntime

/// Lets bytes go as the pacing permits, and counts them. From any task.
final class UploadGate: Sendable {
  private struct State {
    var pacer: UploadPacer
    var byteCount: UInt64 = 0
  }

  private let state: Mutex<State>
  private let isInCall: @Sendable () -> Bool
  private let pausesInCalls: Bool

  init(_ limits: UploadPacer.Limits, isInCall: @escaping @Sendable () -> Bool) {
    state = Mutex(State(pacer: UploadPacer(limits)))
    pausesInCalls = limits.inCalls.map { $0.bitsPerSecond == 0 } ?? false
    self.isInCall = isInCall
  }

  /// Octets of content that went out since the daemon's start, also those that had to be sent again.
  var byteCount: UInt64 { state.withLock { $0.byteCount } }

  /// Whether nothing may be sent now.
  var isPaused: Bool { pausesInCalls && isInCall() }

  /// Returns when that many octets may be sent.
  ///
  /// - Throws: ``UploadFailure/paused`` as soon as nothing may be sent for as long as a call is up.
  func admit(_ byteCount: Int) async throws {
    while true {
      let isInCall = isInCall()
      let decision = state.withLock { state in
        let decision = state.pacer.admit(byteCount, isInCall: isInCall, now: MonotonicClock.now())
        if decision == .send { state.byteCount &+= UInt64(byteCount) }
        return decision
      }
      switch decision {
      case .send: return
      case .wait(let time): try await Task.sleep(for: .milliseconds(time.milliseconds + 1))
      case .pause: throw UploadFailure.paused
      }
    }
  }
}

/// A stretch of an object as the body of a request, read and let go a little at a time.
struct PacedBody: AsyncSequence, Sendable {
  let content: any UploadContent
  let offset: UInt64
  let byteCount: UInt64
  let gate: UploadGate

  struct Iterator: AsyncIteratorProtocol {
    private static let chunkSize: UInt64 = 16_384

    fileprivate let body: PacedBody
    private var done: UInt64 = 0

    fileprivate init(_ body: PacedBody) { self.body = body }

    mutating func next() async throws -> ByteBuffer? {
      guard done < body.byteCount else { return nil }
      let (content, offset) = (body.content, body.offset + done)
      let count = Int(clamping: Swift.min(Self.chunkSize, body.byteCount - done))
      try await body.gate.admit(count)
      let bytes = try await UploadDisk.run { try content.read(at: offset, count: count) }
      guard !bytes.isEmpty else { throw UploadFailure.changed }
      done += UInt64(bytes.count)
      return ByteBuffer(bytes: bytes)
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(self) }
}
