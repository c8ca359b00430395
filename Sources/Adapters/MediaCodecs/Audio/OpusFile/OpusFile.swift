internal import COpus
internal import Glibc

/// An Ogg Opus file (RFC 7845), read forward at 48 kHz.
public struct OpusFile: ~Copyable {
  private let file: OpaquePointer
  /// Interleaved stereo, as libopusfile mixes any file to; 120 ms, the longest packet.
  private let buffer: UnsafeMutableBufferPointer<Int16>

  private static let packetFrames = 5_760

  /// Whether a file that begins with these octets is an Ogg file.
  public static func isOgg(_ beginning: some Sequence<UInt8>) -> Bool { beginning.elementsEqual("OggS".utf8) }

  /// - Parameter descriptor: a regular file at its beginning, which belongs to this value from now on, also if it throws.
  public init(descriptor: CInt) throws(OpusFileError) {
    var callbacks = OpusFileCallbacks()
    guard let stream = op_fdopen(&callbacks, descriptor, "rb") else {
      close(descriptor)
      throw OpusFileError(code: OP_EFAULT)
    }
    var code: Int32 = 0
    guard let file = op_open_callbacks(stream, &callbacks, nil, 0, &code) else {
      _ = callbacks.close?(stream)
      throw OpusFileError(code: code)
    }
    self.file = file
    buffer = .allocate(capacity: Self.packetFrames * 2)
    buffer.initialize(repeating: 0)
  }

  deinit {
    op_free(file)
    buffer.deallocate()
  }

  /// Appends the next frames to `samples`, mixed to one channel; returns how many, 0 at the end. Gaps within
  /// the file are skipped.
  public mutating func readMono(into samples: inout [Int16]) throws(OpusFileError) -> Int {
    while true {
      let count = op_read_stereo(file, buffer.baseAddress, Int32(buffer.count))
      if count == OP_HOLE { continue }
      guard count >= 0 else { throw OpusFileError(code: count) }
      for frame in 0..<Int(count) {
        samples.append(Int16((Int32(buffer[2 * frame]) + Int32(buffer[2 * frame + 1])) / 2))
      }
      return Int(count)
    }
  }
}

/// An Ogg Opus file cannot be read.
public struct OpusFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One of opusfile.h's codes, such as OP_EBADHEADER.
  public let code: Int32

  public var description: String {
    switch code {
    case OP_EREAD: "it cannot be read"
    case OP_ENOTFORMAT: "it is an Ogg file without Opus in it"
    case OP_EVERSION: "it is of a version of Ogg Opus that is not known"
    case OP_EIMPL: "it holds what libopusfile does not support"
    case OP_EBADHEADER, OP_EBADLINK, OP_EBADPACKET, OP_EBADTIMESTAMP: "it is damaged"
    default: "libopusfile failed with \(code)"
    }
  }
}
