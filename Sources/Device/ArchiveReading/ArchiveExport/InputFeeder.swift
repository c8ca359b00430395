import Archive
import Glibc

/// Hands one track's bytes to a child process, as fast as that takes them.
final class InputFeeder {
  private let reader: ArchiveTrackReader
  /// The child's end of a socket pair. Sockets, unlike pipes, can be written to without a signal when there is no
  /// reader.
  private(set) var childDescriptor: CInt
  private var descriptor: CInt
  private var pending: ArraySlice<UInt8> = []

  private static let turnMilliseconds: CInt = 200

  init(_ reader: ArchiveTrackReader) throws(ExportError) {
    self.reader = reader
    var pair: [CInt] = [-1, -1]
    let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &pair) == 0 else { throw .system(path: "socketpair", errno: errno) }
    descriptor = pair[0]
    childDescriptor = pair[1]
  }

  deinit {
    closeChildEnd()
    end()
  }

  /// To be called when the child has its own copy.
  func closeChildEnd() {
    if childDescriptor >= 0 { close(childDescriptor) }
    childDescriptor = -1
  }

  private func end() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  /// Waits a moment until the child takes more, and hands it over. Which track it takes next is the child's choice.
  ///
  /// - Returns: false when everything has been handed over, or the reader is gone.
  static func feed(_ feeders: [InputFeeder]) -> Bool {
    let open = feeders.filter { $0.descriptor >= 0 }
    guard !open.isEmpty else { return false }
    var entries = open.map { pollfd(fd: $0.descriptor, events: Int16(POLLOUT), revents: 0) }
    guard poll(&entries, nfds_t(entries.count), turnMilliseconds) > 0 else { return true }
    for (feeder, entry) in zip(open, entries) where entry.revents != 0 { feeder.send() }
    return true
  }

  private func send() {
    if pending.isEmpty {
      guard let more = reader.read() else { return end() }
      pending = more[...]
    }
    let flags = CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)
    let count = pending.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, flags) }
    if count > 0 {
      pending = pending.dropFirst(count)
    } else if count < 0, errno != EAGAIN, errno != EINTR {
      end()
    }
  }
}
