internal import CHiredis

/// Takes replies out of a stream of octets, by hiredis; bounds their octets, elements and nesting (7 levels).
///
/// Thread rule: a redisReader has no locks; one thread at a time may use it.
struct ReplyReader: ~Copyable {
  private let reader: UnsafeMutablePointer<redisReader>
  private let bounds: UnsafeMutablePointer<ls_redis_bounds>
  private let limits: RedisConnectionSettings.Limits
  /// Octets fed for the reply under way, as far as it is known.
  private var fedBytes = 0

  init(_ limits: RedisConnectionSettings.Limits) {
    bounds = .allocate(capacity: 1)
    bounds.initialize(to: ls_redis_bounds())
    bounds.pointee.elements_left = Int64(limits.replyElements)
    guard let reader = ls_redis_reader_create(bounds) else { fatalError("redisReaderCreate: out of memory") }
    self.reader = reader
    self.limits = limits
  }

  deinit {
    redisReaderFree(reader)
    bounds.deallocate()
  }

  /// Copies octets from the server.
  mutating func feed(_ bytes: UnsafeRawBufferPointer) throws(RedisDisconnection) {
    guard let start = bytes.baseAddress else { return }
    fedBytes += bytes.count
    let result = redisReaderFeed(reader, start.assumingMemoryBound(to: CChar.self), bytes.count)
    guard result == REDIS_OK else { throw disconnection }
  }

  /// The next reply; `nil` when more octets are needed.
  mutating func next() throws(RedisDisconnection) -> RedisValue? {
    var reply: UnsafeMutableRawPointer?
    guard redisReaderGetReply(reader, &reply) == REDIS_OK else { throw disconnection }
    guard let reply else {
      guard fedBytes <= limits.replyBytes else { throw .replyTooLarge(limit: limits.replyBytes) }
      return nil
    }
    defer { freeReplyObject(reply) }
    guard fedBytes - ls_redis_reader_unread(reader) <= limits.replyBytes else {
      throw .replyTooLarge(limit: limits.replyBytes)
    }
    fedBytes = ls_redis_reader_unread(reader)
    bounds.pointee.elements_left = Int64(limits.replyElements)
    return Self.value(reply.assumingMemoryBound(to: redisReply.self).pointee)
  }

  private var disconnection: RedisDisconnection {
    if bounds.pointee.elements_left < 0 { return .replyTooLarge(limit: limits.replyElements) }
    return .malformedReply(
      withUnsafeBytes(of: reader.pointee.errstr) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
  }

  // MARK: Values

  private static let ok: [UInt8] = Array("OK".utf8)

  private static func value(_ reply: redisReply) -> RedisValue {
    switch reply.type {
    case REDIS_REPLY_INTEGER: .integer(reply.integer)
    case REDIS_REPLY_STRING: .string(Array(text(reply)))
    case REDIS_REPLY_STATUS: .string(text(reply).elementsEqual(ok) ? ok : Array(text(reply)))
    case REDIS_REPLY_ERROR: .error(RedisError(String(decoding: text(reply).prefix(512), as: UTF8.self)))
    case REDIS_REPLY_ARRAY: .array(elements(reply))
    default: .null
    }
  }

  private static func text(_ reply: redisReply) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: reply.str, count: reply.len)
  }

  private static func elements(_ reply: redisReply) -> [RedisValue] {
    UnsafeBufferPointer(start: reply.element, count: reply.elements).map { element in
      element.map { value($0.pointee) } ?? .null
    }
  }
}
