internal import HubCore
internal import SafeText
internal import Signalling
internal import NIOCore
internal import SystemSupport

/// What a device says of an upload before its bytes.
struct UploadHead: Sendable {
  var status: Int
  var contentType: String
  var contentRange: String?
  var contentLength: Int?
  /// What a file of it is to be called; checked.
  var fileName: String?

  static let imageType = "image/jpeg"

  /// What the content was found to be, in the place of what the device says.
  var asImage: UploadHead {
    var copy = self
    copy.contentType = Self.imageType
    return copy
  }
}

/// One file or image on its way from a device through the hub to the requester.
final class ArchiveTransfer: Sendable {
  let chunks = ChunkHandoff()
  /// The device may send no more.
  let maximumBytes: Int64
  private struct State {
    var head: UploadHead?
    var isGivenUp = false
    var waiter: CheckedContinuation<UploadHead?, Never>?
    var progressedAt = Instant.now
  }

  private let state = Mutex(State())

  init(maximumBytes: Int64) { self.maximumBytes = maximumBytes }

  /// The device's status; nil when it did not come in time.
  func waitForHead() async -> UploadHead? {
    await withCheckedContinuation { continuation in
      let (head, isReady) = state.withLock { state in
        let isReady = state.head != nil || state.isGivenUp
        if !isReady { state.waiter = continuation }
        return (state.head, isReady)
      }
      if isReady { continuation.resume(returning: head) }
    }
  }

  /// The sentence by which a device refuses, without controls; nil where it sends none, or one that is too long or no text.
  func refusal() async -> String? {
    var bytes: [UInt8] = []
    do {
      while let chunk = try await chunks.next() {
        bytes += chunk.readableBytesView.prefix(RequestEvent.longestRefusal + 1 - bytes.count)
        guard bytes.count <= RequestEvent.longestRefusal else { return nil }
      }
    } catch {
      return nil
    }
    guard !bytes.isEmpty, let text = String(validating: bytes, as: UTF8.self) else { return nil }
    return text.escapingControls
  }

  /// The first bytes of an image, up to its frame header at least.
  func imageStart() async throws(HubRefusal) -> ByteBuffer {
    var start = ByteBuffer()
    // Checked each time that there is twice as much: a device may send byte by byte.
    var enough = 1
    do {
      while var chunk = try await chunks.next() {
        noteProgress()
        start.writeBuffer(&chunk)
        guard start.readableBytes >= enough else { continue }
        if try Self.hasHeader(start) { return start }
        enough = 2 * start.readableBytes
      }
      guard try Self.hasHeader(start) else { throw JPEGHeader.Fault.notJPEG }
      return start
    } catch let fault as JPEGHeader.Fault {
      throw .deviceFaulty("the image that the device sent is not passed on: \(fault)")
    } catch {
      throw .deviceUnresponsive
    }
  }

  private static func hasHeader(_ bytes: ByteBuffer) throws(JPEGHeader.Fault) -> Bool {
    try JPEGHeader(Array(bytes.readableBytesView)) != nil
  }

  func begin(_ head: UploadHead) {
    let waiter = state.withLock { state in
      state.head = head
      state.progressedAt = .now
      return state.waiter.take()
    }
    waiter?.resume(returning: head)
  }

  func noteProgress() {
    state.withLock { $0.progressedAt = .now }
  }

  func giveUp() {
    let waiter = state.withLock { state in
      state.isGivenUp = true
      return state.waiter.take()
    }
    waiter?.resume(returning: nil)
    chunks.abandon()
  }

  func isStalled(now: Instant, after timeout: Duration) -> Bool {
    state.withLock { $0.progressedAt.duration(to: now) > timeout }
  }
}

/// The transfers under way, by upload id.
final class ArchiveTransfers: Sendable {
  private let running = Mutex<[String: ArchiveTransfer]>([:])
  private let idleTimeout: Duration = .seconds(30)

  func register(_ uploadID: String, maximumBytes: Int64) -> ArchiveTransfer {
    let transfer = ArchiveTransfer(maximumBytes: maximumBytes)
    running.withLock { $0[uploadID] = transfer }
    return transfer
  }

  subscript(uploadID: String) -> ArchiveTransfer? { running.withLock { $0[uploadID] } }

  func remove(_ uploadID: String) {
    _ = running.withLock { $0.removeValue(forKey: uploadID) }
  }

  func giveUp(_ uploadID: String) { self[uploadID]?.giveUp() }

  func giveUpStalled(now: Instant) {
    let stalled = running.withLock { all in all.values.filter { $0.isStalled(now: now, after: idleTimeout) } }
    for transfer in stalled { transfer.giveUp() }
  }
}
