internal import CZlib

/// Compression in the gzip format (RFC 1952).
enum Gzip {
  /// Nil where zlib has no memory for it, or nothing is gained.
  static func compress(_ octets: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    guard livesessions_gzip_begin(&stream) == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    var input = octets
    let compressed = input.withUnsafeMutableBufferPointer { input in
      [UInt8](unsafeUninitializedCapacity: octets.count) { output, count in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(clamping: input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(clamping: output.count)
        count = deflate(&stream, Z_FINISH) == Z_STREAM_END ? Int(clamping: stream.total_out) : 0
      }
    }
    return compressed.isEmpty ? nil : compressed
  }

  /// Whether a client takes gzip (RFC 9110, section 12.5.3), by its `Accept-Encoding`.
  static func isAccepted(by field: String?) -> Bool {
    let codings = (field ?? "").lowercased().split(separator: ",").map { coding in
      coding.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
    }
    guard let coding = codings.first(where: { $0.first == "gzip" }) else { return false }
    guard let weight = coding.first(where: { $0.hasPrefix("q=") }) else { return true }
    return (Double(weight.dropFirst(2)) ?? 0) > 0
  }
}
