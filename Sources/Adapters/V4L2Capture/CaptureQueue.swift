internal import CLinux
internal import Glibc

/// The driver's frame buffers, mapped into this process; unmapped when this value ends.
struct CaptureQueue: ~Copyable {
  /// The number that the driver granted.
  private(set) var count = 0
  private let planesPerBuffer: Int
  /// Plane after plane, buffer after buffer; unused ones have no address.
  private let planes: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>

  /// V4L2 knows no more buffers a queue than this.
  private static let maximum = 32

  /// Requests `wanted` buffers (the driver may give another number) and maps them.
  init(_ wanted: UInt32, planesPerBuffer: Int, of node: borrowing V4L2Node) throws(V4L2Error) {
    precondition(1...cv4l2_max_planes ~= planesPerBuffer)
    self.planesPerBuffer = planesPerBuffer
    planes = .allocate(capacity: Self.maximum * planesPerBuffer)
    planes.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
    count = min(try Self.request(wanted, of: node), Self.maximum)
    for index in 0..<count { try map(index, of: node) }
  }

  deinit {
    for plane in planes where plane.baseAddress != nil {
      munmap(UnsafeMutableRawPointer(mutating: plane.baseAddress), plane.count)
    }
    planes.deallocate()
  }

  private static func request(_ wanted: UInt32, of node: borrowing V4L2Node) throws(V4L2Error) -> Int {
    var request = v4l2_requestbuffers()
    request.count = wanted
    request.type = node.queueType
    request.memory = V4L2_MEMORY_MMAP.rawValue
    try node.run(cv4l2_reqbufs, "VIDIOC_REQBUFS", &request)
    guard request.count >= 2 else { throw node.failure("VIDIOC_REQBUFS", ENOMEM) }
    return Int(clamping: request.count)
  }

  private func map(_ index: Int, of node: borrowing V4L2Node) throws(V4L2Error) {
    let buffer = try node.runBuffer(cv4l2_querybuf, "VIDIOC_QUERYBUF", index: index)
    guard Int(clamping: buffer.planes) == planesPerBuffer else { throw node.failure("VIDIOC_QUERYBUF", EPROTO) }
    for plane in 0..<planesPerBuffer {
      let length = Int(clamping: element(buffer.length, plane))
      let address = mmap(
        nil, length, PROT_READ, MAP_SHARED, node.descriptor, off_t(element(buffer.map_offset, plane)))
      guard let address, address != MAP_FAILED else { throw node.failure("mmap", errno) }
      planes[index * planesPerBuffer + plane] = UnsafeRawBufferPointer(start: address, count: length)
    }
  }

  /// Hands all buffers to the driver and starts the stream.
  func start(_ node: borrowing V4L2Node) throws(V4L2Error) {
    for index in 0..<count { try enqueue(index, to: node) }
    var type = Int32(bitPattern: node.queueType)
    try node.run(cv4l2_streamon, "VIDIOC_STREAMON", &type)
  }

  /// Gives a buffer back to the driver.
  func enqueue(_ index: Int, to node: borrowing V4L2Node) throws(V4L2Error) {
    _ = try node.runBuffer(cv4l2_qbuf, "VIDIOC_QBUF", index: index)
  }

  /// The part of a dequeued buffer's plane that the driver filled.
  func filled(_ buffer: cv4l2_buffer, plane: Int) -> UnsafeRawBufferPointer {
    let memory = planes[Int(clamping: buffer.index) * planesPerBuffer + plane]
    let begin = min(Int(clamping: element(buffer.data_offset, plane)), memory.count)
    let end = begin + min(Int(clamping: element(buffer.used, plane)), memory.count - begin)
    return UnsafeRawBufferPointer(rebasing: memory[begin..<end])
  }
}

extension V4L2Node {
  fileprivate func runBuffer(_ request: UInt, _ name: StaticString, index: Int) throws(V4L2Error) -> cv4l2_buffer {
    var buffer = cv4l2_buffer()
    buffer.index = UInt32(clamping: index)
    let code = cv4l2_run_buffer(descriptor, request, queueType, &buffer)
    guard code == 0 else { throw failure(name, code) }
    return buffer
  }
}

/// The array in a C struct that holds a number for each plane.
typealias PlaneNumbers = (UInt32, UInt32, UInt32, UInt32)

func element(_ numbers: PlaneNumbers, _ plane: Int) -> UInt32 {
  switch plane {
  case 0: numbers.0
  case 1: numbers.1
  case 2: numbers.2
  default: numbers.3
  }
}
