import MediaCore
import MediaFiles

/// Finds the sound in any octets as if they were a file, and reads all of it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let file = UnsafeRawBufferPointer(start: data, count: size)
  guard let header = findSound(in: file) else { return 0 }
  precondition((1...8).contains(header.channels) && (8_000...192_000).contains(header.sampleRate))
  let end = header.dataOffset + header.frameCount * UInt64(header.frameByteCount)
  precondition(header.frameCount > 0 && end <= UInt64(size))
  for channels in 1...2 { decodeAll(file, header, channels) }
  return 0
}

func findSound(in file: UnsafeRawBufferPointer) -> WAVHeader? {
  var reader = WAVHeaderReader(fileByteCount: UInt64(file.count))
  var step = reader.start
  while true {
    switch step {
    case .finished(let header): return header
    case .read(let offset, let byteCount):
      let begin = Int(min(offset, UInt64(file.count)))
      let bytes = UnsafeRawBufferPointer(rebasing: file[begin..<min(begin + byteCount, file.count)])
      do throws(WAVError) {
        step = try reader.read(bytes.bytes)
      } catch {
        precondition(!error.description.isEmpty)
        return nil
      }
    }
  }
}

func decodeAll(_ file: UnsafeRawBufferPointer, _ header: WAVHeader, _ channels: Int) {
  var samples = [Int16](repeating: 0, count: 960)
  var position = Int(header.dataOffset)
  var left = header.frameCount
  while left > 0 {
    let frames = min(Int(left), samples.count / channels)
    let byteCount = frames * header.frameByteCount
    let bytes = UnsafeRawBufferPointer(rebasing: file[position..<position + byteCount])
    var span = samples.mutableSpan
    let decoded = header.format.decode(bytes.bytes, channels: header.channels, into: &span, channels: channels)
    precondition(decoded == frames)
    position += byteCount
    left -= UInt64(frames)
  }
}
