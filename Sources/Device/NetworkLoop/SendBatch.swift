import CLinux
import Glibc
import MediaCore

/// Gathers the datagrams that leave one socket in one iteration of the loop, and asks the kernel once for many.
///
/// Datagrams of one length to one address that follow each other become one message, which the kernel cuts
/// (UDP_SEGMENT, udp(7)): it looks up the route and passes its layers once for all packets of a frame. Order is kept.
/// All memory is made at the start.
struct SendBatch: ~Copyable {
  /// A frame for each of twenty viewers.
  private static let capacity = 96 * 1024
  /// The kernel's own limit, and what fits into an IP packet together with headers.
  private static let longestRun = (datagrams: 64, octets: 60_000)

  /// Datagrams that lie side by side in memory and go to one address.
  private struct Run {
    var start: Int
    var octets: Int
    var datagrams: Int
    /// The length of all datagrams but the last.
    var segment: Int
    var local: TransportAddress
    var remote: TransportAddress
  }

  private let memory: UnsafeMutablePointer<UInt8>
  private let headers: OpaquePointer
  private var used = 0
  private var runs: [Run] = []
  /// Cleared for good when the kernel or a network device cannot cut messages.
  private(set) var usesSegmentation = true

  init() {
    memory = .allocate(capacity: Self.capacity)
    headers = ls_send_batch_make()
    runs.reserveCapacity(Int(LS_BATCH))
  }

  deinit {
    memory.deallocate()
    ls_send_batch_free(headers)
  }

  var isEmpty: Bool { runs.isEmpty }

  /// Copies a datagram to the end; returns false when it does not fit, and has to be sent first.
  mutating func append(_ datagram: RawSpan, from local: TransportAddress, to remote: TransportAddress) -> Bool {
    let count = datagram.byteCount
    guard count > 0, used + count <= Self.capacity else { return false }
    let joins = joinsLastRun(count, from: local, to: remote)
    guard joins || runs.count < Int(LS_BATCH) else { return false }
    let end = UnsafeMutableRawPointer(memory + used)
    datagram.withUnsafeBytes { end.copyMemory(from: $0.baseAddress!, byteCount: count) }
    if joins {
      runs[runs.count - 1].octets += count
      runs[runs.count - 1].datagrams += 1
    } else {
      runs.append(Run(start: used, octets: count, datagrams: 1, segment: count, local: local, remote: remote))
    }
    used += count
    return true
  }

  /// A run continues with datagrams that are not longer than its first, until one is shorter.
  private func joinsLastRun(_ count: Int, from local: TransportAddress, to remote: TransportAddress) -> Bool {
    guard usesSegmentation, let last = runs.last else { return false }
    return count <= last.segment && last.octets == last.datagrams * last.segment
      && last.datagrams < Self.longestRun.datagrams && last.octets + count <= Self.longestRun.octets
      && last.remote == remote && last.local == local
  }

  /// Sends everything; what is refused is lost and noted, as a network may lose it.
  mutating func send(through descriptor: CInt, noting failures: inout SendFailures) {
    for index in runs.indices { fill(index, runs[index], 0..<runs[index].octets) }
    var next = 0
    while next < runs.count {
      let count = ls_send_batch_send(descriptor, headers, CInt(next), CInt(runs.count))
      next += Int(max(0, count))
      guard next < runs.count else { break }
      // The kernel reports why it stopped only when called for that message alone.
      if count <= 0 {
        giveUp(runs[next], errno: -count, descriptor, &failures)
        next += 1
      }
    }
    runs.removeAll(keepingCapacity: true)
    used = 0
  }

  /// Makes one message of octets of a run.
  private func fill(_ index: Int, _ run: Run, _ range: Range<Int>) {
    let isCut = range.count > run.segment
    var message = ls_message(
      bytes: memory + run.start + range.lowerBound, count: range.count, segment: isCut ? UInt16(run.segment) : 0,
      source: run.local.native, target: run.remote.native)
    ls_send_batch_set(headers, CInt(index), &message)
  }

  /// Sends the datagrams of a refused run one by one, so that each is lost for a reason of its own.
  private mutating func giveUp(_ run: Run, errno code: CInt, _ descriptor: CInt, _ failures: inout SendFailures) {
    guard run.datagrams > 1 else { return failures.note(code) }
    var isSent = false
    for start in stride(from: 0, to: run.octets, by: run.segment) {
      // The first place is free: its message has left or is this one.
      fill(0, run, start..<min(start + run.segment, run.octets))
      let status = ls_send_batch_send(descriptor, headers, 0, 1)
      if status < 0 { failures.note(-status) } else { isSent = true }
    }
    // EIO: the device does not compute checksums; EINVAL, EOPNOTSUPP: the kernel does not know how to cut.
    if isSent, [EIO, EINVAL, EOPNOTSUPP].contains(code) { usesSegmentation = false }
  }
}
