internal import FoundationEssentials
public import HubStore
internal import RedisClient
internal import Signalling

extension RedisStore {
  public func appendAudit(_ records: [AuditRecord], keeping bounds: AuditBounds) async throws {
    for record in records {
      _ = try await send(
        .functionCall(
          AuditFunctions.append, keys: [AuditKeys.entries(isRoutine: record.isRoutine), AuditKeys.clock],
          arguments: [Self.text(record), "\(bounds.oldest)", "\(bounds.maximumOfEach)"]))
    }
  }

  public func audit(before: String?, limit: Int) async throws -> [AuditRecord] {
    guard let end = before.map({ StreamPosition($0) }) ?? .last else { return [] }
    var found: [(StreamPosition, AuditRecord)] = []
    for isRoutine in [false, true] {
      found += try await audit(isRoutine: isRoutine, before: end, limit: limit)
    }
    return found.sorted { $0.0 > $1.0 }.prefix(limit).map(\.1)
  }

  private func audit(
    isRoutine: Bool, before end: StreamPosition, limit: Int
  ) async throws -> [(StreamPosition, AuditRecord)] {
    let stream = AuditKeys.entries(isRoutine: isRoutine)
    let reply = try await send(RedisCommand("XREVRANGE", [stream, "(\(end.text)", "-", "COUNT", "\(limit)"]))
    return try (reply.elements ?? []).map { element in
      guard let parts = element.elements, parts.count == 2, let id = parts[0].text, let position = StreamPosition(id),
        let text = parts[1].elements?.last?.text
      else { throw StoredRecordError.unreadableAudit }
      guard var record = try? JSONDecoder().decode(AuditRecord.self, from: Data(text.utf8)) else {
        let groups = (try? JSONDecoder().decode(AuditReaders.self, from: Data(text.utf8)).groups) ?? []
        let at = Int64(clamping: position.time)
        return (position, .unreadable(id: id, at: at, groups: groups, isRoutine: isRoutine))
      }
      record.entry.id = id
      return (position, record)
    }
  }

  private static func text(_ record: AuditRecord) -> String {
    guard let data = try? JSONEncoder().encode(record) else { preconditionFailure("a record cannot be encoded") }
    return String(decoding: data, as: UTF8.self)
  }
}

/// Of a record, who may read it.
private struct AuditReaders: Decodable {
  var groups: Set<String>
}

/// The id of an entry of a stream: time and number.
private struct StreamPosition: Comparable {
  static let last = StreamPosition(time: .max, number: .max)

  var time: UInt64
  var number: UInt64

  init(time: UInt64, number: UInt64) { (self.time, self.number) = (time, number) }

  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    // Redis refuses a range that ends before the first possible id.
    guard parts.count == 2, let time = UInt64(parts[0]), let number = UInt64(parts[1]), (time, number) > (0, 0) else {
      return nil
    }
    self.init(time: time, number: number)
  }

  var text: String { "\(time)-\(number)" }

  static func < (first: Self, second: Self) -> Bool { (first.time, first.number) < (second.time, second.number) }
}
