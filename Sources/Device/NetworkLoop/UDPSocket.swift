import CLinux
import Glibc
import MediaCore
import SystemSupport

extension TransportAddress {
  var native: ls_address { ls_address(high: high, low: low, port: port, is_ipv6: isIPv6 ? 1 : 0) }

  init(_ native: ls_address, port: UInt16? = nil) {
    let port = port ?? native.port
    self =
      native.is_ipv6 != 0
      ? TransportAddress(ipv6: native.high, native.low, port: port)
      : TransportAddress(ipv4: UInt32(native.high >> 32), port: port)
  }
}

/// A non-blocking UDP socket and the memory for receiving and sending a batch of datagrams.
final class UDPSocket {
  /// Longer datagrams are not ours: WebRTC stays under the path MTU.
  static let maximumDatagram = 2048
  /// Bytes asked of the kernel: a tenth of a second of garbage at 50,000 datagrams a second may wait while the thread
  /// does not run, and a key frame for each of many viewers.
  private static let receiveBuffer: CInt = 4 << 20
  private static let sendBuffer: CInt = 1 << 20

  let fileDescriptor: CInt
  /// The bound address; a wildcard host when bound to all interfaces.
  let address: TransportAddress
  private let batch: OpaquePointer
  private let memory: UnsafeMutablePointer<UInt8>
  private var outgoing = SendBatch()
  /// What the kernel refused to send.
  var failures = SendFailures()

  init(_ requested: TransportAddress) throws(SystemCallError) {
    fileDescriptor = ls_udp_open(requested.native, Self.receiveBuffer, Self.sendBuffer)
    guard fileDescriptor >= 0 else { throw .last("bind(\(requested))") }
    var bound = requested
    bound.port = ls_udp_port(fileDescriptor)
    address = bound
    batch = ls_receive_batch_make()
    memory = .allocate(capacity: Self.maximumDatagram * Int(LS_BATCH))
  }

  deinit {
    close(fileDescriptor)
    ls_receive_batch_free(batch)
    memory.deallocate()
  }

  /// Hands each waiting datagram of one batch to `body`, which may change it in place (SRTP does).
  ///
  /// Returns whether more may wait.
  func receive(_ body: (inout MutableRawSpan, _ from: TransportAddress, _ to: TransportAddress) -> Void) -> Bool {
    let count = ls_udp_receive(fileDescriptor, batch, memory, Self.maximumDatagram)
    for index in 0..<max(0, count) {
      let length = ls_received_length(batch, index)
      guard length > 0 else { continue }
      let start = memory + Int(index) * Self.maximumDatagram
      let buffer = UnsafeMutableRawBufferPointer(start: start, count: length)
      var bytes = buffer.mutableBytes
      body(
        &bytes, TransportAddress(ls_received_source(batch, index)),
        TransportAddress(ls_received_destination(batch, index), port: address.port))
    }
    return count == LS_BATCH
  }

  /// Queues one datagram; it leaves with ``flush()``, or when no more fit.
  func send(_ datagram: RawSpan, from local: TransportAddress, to remote: TransportAddress) {
    if outgoing.append(datagram, from: local, to: remote) { return }
    flush()
    if !outgoing.append(datagram, from: local, to: remote) { failures.note(EMSGSIZE) }
  }

  /// Hands the kernel what is queued, in order. A full send buffer loses datagrams, as a network may.
  func flush() {
    guard !outgoing.isEmpty else { return }
    outgoing.send(through: fileDescriptor, noting: &failures)
  }
}
