internal import CHiredisPlain
internal import NIOCore

/// Reads replies out of what arrives, with hiredis' reader.
///
/// Used by one thread at a time.
final class ReplyReader {
  /// What arrived is no RESP, or larger than ``limit``.
  struct Malformed: Error, Equatable {
    let reason: String
  }

  /// Most bytes of one reply.
  static let limit = 64 << 20
  private let reader: UnsafeMutablePointer<redisReader>
  /// Bytes since the last whole reply.
  private var pending = 0

  init() {
    guard let reader = redisReaderCreate() else { preconditionFailure("out of memory") }
    self.reader = reader
  }

  deinit { redisReaderFree(reader) }

  func feed(_ bytes: ByteBuffer) throws(Malformed) {
    pending += bytes.readableBytes
    guard pending <= Self.limit else { throw Malformed(reason: "a reply of more than \(Self.limit) bytes") }
    let status = bytes.withUnsafeReadableBytes { bytes in
      unsafe redisReaderFeed(reader, bytes.baseAddress, bytes.count)
    }
    guard status == REDIS_OK else { throw unsafe Malformed(reason: Self.words(of: reader)) }
  }

  /// The next whole reply; nil until more arrives.
  func next() throws(Malformed) -> RedisValue? {
    var object: UnsafeMutableRawPointer?
    guard unsafe redisReaderGetReply(reader, &object) == REDIS_OK else {
      throw unsafe Malformed(reason: Self.words(of: reader))
    }
    guard let object else { return nil }
    defer { unsafe freeReplyObject(object) }
    pending = 0
    return unsafe Self.value(of: object.assumingMemoryBound(to: redisReply.self).pointee)
  }

  private static func value(of reply: redisReply) -> RedisValue {
    switch unsafe reply.type {
    case REDIS_REPLY_INTEGER: unsafe .integer(reply.integer)
    case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: unsafe .string(text(of: reply))
    case REDIS_REPLY_ERROR: unsafe .error(text(of: reply))
    case REDIS_REPLY_ARRAY:
      unsafe .array(elements(of: reply))
    default: .null
    }
  }

  private static func elements(of reply: redisReply) -> [RedisValue] {
    let elements = unsafe UnsafeBufferPointer(start: reply.element, count: Int(reply.elements))
    return unsafe elements.map { element in
      guard let element = unsafe element else { return .null }
      return unsafe value(of: element.pointee)
    }
  }

  private static func text(of reply: redisReply) -> String {
    unsafe String(decoding: UnsafeRawBufferPointer(start: reply.str, count: Int(reply.len)), as: UTF8.self)
  }

  private static func words(of reader: UnsafeMutablePointer<redisReader>) -> String {
    unsafe withUnsafePointer(to: reader.pointee.errstr) { words in
      unsafe words.withMemoryRebound(to: CChar.self, capacity: 128) { unsafe String(cString: $0) }
    }
  }
}
