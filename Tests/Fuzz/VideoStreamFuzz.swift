import MediaCore
import MediaFiles

/// Takes the first byte as format and sizes, and the rest as what a program writes: in one piece and in pieces of the second
/// byte's size. Both must give the same frames, in a buffer that is no larger than is asked for.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size >= 2 else { return 0 }
  let input = UnsafeRawBufferPointer(start: data + 2, count: size - 2)
  let whole = frames(input, format(data[0]), pieces: max(1, input.count))
  let cut = frames(input, format(data[0]), pieces: Int(data[1]) + 1)
  guard whole == cut else { fatalError("frames differ: \(whole.sizes) and \(cut.sizes)") }
  return 0
}

private func format(_ byte: UInt8) -> VideoStreamFraming.Format {
  switch byte % 3 {
  case 0: .y4m
  case 1: .raw(frameByteCount: Int(byte / 3) + 1)
  default: .mjpeg(maximumByteCount: 1 << 16)
  }
}

private struct Found: Equatable {
  var sizes: [Int] = []
  var sum = 17
}

private func frames(_ input: UnsafeRawBufferPointer, _ format: VideoStreamFraming.Format, pieces: Int) -> Found {
  var framing = VideoStreamFraming(format)
  var (buffer, found) = ([UInt8](), Found())
  for start in stride(from: 0, to: input.count, by: pieces) {
    buffer += input[start..<min(start + pieces, input.count)]
    while true {
      guard let step = try? framing.next(buffer.span.bytes) else { return found }
      if case .header(let header) = step { precondition(header.frameByteCount > 0) }
      if case .frame(let range) = step {
        found.sizes.append(range.count)
        for byte in buffer[range] { found.sum = found.sum &* 31 &+ Int(byte) }
      }
      if case .incomplete(let capacity) = step {
        precondition(framing.removable <= buffer.count)
        buffer.removeFirst(framing.removable)
        framing.remove()
        precondition(buffer.count <= capacity, "more is kept than may come")
        break
      }
    }
  }
  return found
}
