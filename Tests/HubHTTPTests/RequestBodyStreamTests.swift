import NIOCore
import SystemSupport
import Testing

@testable import HubHTTP

struct RequestBodyStreamTests {
  @Test func partsComeInOrderThenTheEnd() async throws {
    let stream = RequestBodyStream {}
    for text in ["a", "b"] { stream.push(ByteBuffer(string: text)) }
    stream.end(.success(()))
    stream.push(ByteBuffer(string: "too late"))
    stream.end(.failure(ClientAbort()))
    var texts: [String] = []
    for try await part in stream { texts.append(String(buffer: part)) }
    #expect(texts == ["a", "b"])
  }

  @Test func aReaderThatWaitsGetsWhatComesAndTheFailure() async throws {
    let stream = RequestBodyStream {}
    async let texts = {
      var texts: [String] = []
      do { for try await part in stream { texts.append(String(buffer: part)) } } catch { texts.append("failed") }
      return texts
    }()
    await Task.yield()
    stream.push(ByteBuffer(string: "a"))
    await Task.yield()
    stream.end(.failure(ClientAbort()))
    #expect(await texts == ["a", "failed"])
  }

  @Test func aFullStreamSaysOnceThatItHasRoom() async throws {
    let calls = Calls()
    let stream = RequestBodyStream { calls.count.withLock { $0 += 1 } }
    for _ in 0..<RequestBodyStream.capacity { stream.push(ByteBuffer(string: "a")) }
    #expect(stream.isFull)
    let iterator = stream.makeAsyncIterator()
    for _ in 0..<RequestBodyStream.capacity { _ = try await iterator.next() }
    #expect(!stream.isFull)
    #expect(calls.count.withLock(\.self) == 1)
  }
}

private final class Calls: Sendable {
  let count = Mutex(0)
}
