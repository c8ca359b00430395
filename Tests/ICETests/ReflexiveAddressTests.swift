import ICE
import MediaCore
import TestSupport
import Testing

@Suite struct ReflexiveAddressTests {
  private let server = address("192.0.2.1", 3_478)
  private let base = address("10.0.0.1", 5_000)
  private let start = MonotonicInstant(nanoseconds: 0)

  private func makeQuery() -> ReflexiveAddressQuery {
    ReflexiveAddressQuery(of: server, base: base, crypto: SeededCrypto(seed: 1), now: start)
  }

  @Test func theServerTellsTheAddress() throws {
    var query = makeQuery()
    let request = try #require(take(&query))
    let repeated = take(&query)
    #expect(repeated == nil)
    let answer = try parse(makeAnswer(to: request, class: .successResponse))
    let isTaken = [
      query.receive(answer, from: address("192.0.2.1", 9), to: base),
      query.receive(answer, from: server, to: address("10.0.0.2", 5_000)),
      query.receive(answer, from: server, to: base),
    ]
    #expect(isTaken == [false, false, true])
    #expect(query.state == .answered(address("203.0.113.9", 7_000)))
    #expect(query.deadline == .distantFuture)
  }

  @Test func aServerThatRefusesIsGivenUp() throws {
    var query = makeQuery()
    let request = try #require(take(&query))
    let isTaken = query.receive(try parse(makeAnswer(to: request, class: .errorResponse)), from: server, to: base)
    #expect(isTaken)
    #expect(query.state == .givenUp)
  }

  @Test func theRequestIsRepeatedAndGivenUpInTheEnd() {
    var query = makeQuery()
    var requests: [[UInt8]] = []
    while query.state == .asking {
      if let request = take(&query) { requests.append(request) }
      query.handleTimeout(now: query.deadline)
    }
    #expect(requests.count == 7)
    #expect(Set(requests).count == 1)
  }

  private func take(_ query: inout ReflexiveAddressQuery) -> [UInt8]? {
    var storage = [UInt8](repeating: 0, count: 600)
    var span = storage.mutableSpan
    var buffer = span.mutableBytes
    return query.takeTransmit(into: &buffer).map { Array(storage[..<$0]) }
  }

  private func makeAnswer(to request: [UInt8], class messageClass: STUNClass) throws -> [UInt8] {
    var storage = [UInt8](repeating: 0, count: 600)
    var span = storage.mutableSpan
    var buffer = span.mutableBytes
    let id = try parse(request).header.transactionID
    var writer = try STUNMessageWriter(messageClass, .binding, id, to: &buffer)
    if messageClass == .successResponse { try writer.appendMappedAddress(address("203.0.113.9", 7_000), to: &buffer) }
    return Array(storage[..<writer.count])
  }
}
