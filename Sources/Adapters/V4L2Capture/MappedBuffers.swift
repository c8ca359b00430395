internal import CV4L2
internal import Glibc

/// The driver's frame buffers, mapped into this process; unmapped and given back when this value ends.
struct MappedBuffers: ~Copyable {
  /// As many as the driver gave.
  private(set) var count = 0
  private let buffers: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>

  /// V4L2 knows no more buffers a queue than this.
  private static let maximum = 32

  subscript(_ index: Int) -> UnsafeRawBufferPointer { buffers[index] }

  /// Requests `wanted` buffers (the driver may give another number) and maps them.
  init(_ wanted: UInt32, from node: borrowing V4L2Node) throws(V4L2Error) {
    buffers = .allocate(capacity: Self.maximum)
    buffers.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
    count = min(try Self.request(wanted, from: node), Self.maximum)
    for index in 0..<count { buffers[index] = try Self.map(index, of: node) }
  }

  deinit {
    for buffer in buffers where buffer.baseAddress != nil {
      munmap(UnsafeMutableRawPointer(mutating: buffer.baseAddress), buffer.count)
    }
    buffers.deallocate()
  }

  private static func request(_ wanted: UInt32, from node: borrowing V4L2Node) throws(V4L2Error) -> Int {
    var request = v4l2_requestbuffers()
    request.count = wanted
    request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    request.memory = V4L2_MEMORY_MMAP.rawValue
    try node.run(cv4l2_reqbufs, "VIDIOC_REQBUFS", &request)
    guard request.count >= 2 else { throw node.failure("VIDIOC_REQBUFS", ENOMEM) }
    return Int(request.count)
  }

  private static func map(_ index: Int, of node: borrowing V4L2Node) throws(V4L2Error) -> UnsafeRawBufferPointer {
    var buffer = emptyCaptureBuffer()
    buffer.index = UInt32(index)
    try node.run(cv4l2_querybuf, "VIDIOC_QUERYBUF", &buffer)
    let length = Int(buffer.length)
    let address = mmap(nil, length, PROT_READ, MAP_SHARED, node.descriptor, off_t(buffer.m.offset))
    guard let address, address != MAP_FAILED else { throw node.failure("mmap", errno) }
    return UnsafeRawBufferPointer(start: address, count: length)
  }
}

/// A `v4l2_buffer` for mapped single-planar capture.
func emptyCaptureBuffer() -> v4l2_buffer {
  var buffer = v4l2_buffer()
  buffer.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
  buffer.memory = V4L2_MEMORY_MMAP.rawValue
  return buffer
}
