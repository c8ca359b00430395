import RealtimeRuntime
import Testing

@Suite("Latest values", .timeLimit(.minutes(1)))
struct LatestValuesTests {
  @Test func `the newest value of each key is taken, once`() async {
    let values = LatestValues<String, [Int]>()
    for round in 0..<1_000 {
      values.update("a", initial: []) { $0 = [round] }
      values.update("b", initial: []) { $0.append(round % 500) }
    }
    let first = await values.next()
    #expect(first?["a"] == [999])
    #expect(first?["b"]?.count == 1_000)
    values.update("a", initial: [7]) { $0.append(8) }
    #expect(await values.next() == ["a": [7, 8]])
  }

  @Test func `what is removed is not read`() async {
    let values = LatestValues<String, Int>()
    values.update("a", initial: 1) { _ in }
    values.update("b", initial: 2) { _ in }
    values.remove("a")
    #expect(await values.next() == ["b": 2])
  }

  @Test func `the reader waits, and ends after the rest`() async {
    let values = LatestValues<Int, Int>()
    let reader = Task {
      var sum = 0
      while let taken = await values.next() { sum += taken.count }
      return sum
    }
    for key in 0..<100 {
      values.update(key, initial: key) { _ in }
      await Task.yield()
    }
    values.finish()
    #expect(await reader.value == 100)
  }

  @Test func `a reader that is cancelled ends`() async {
    let values = LatestValues<Int, Int>()
    let reader = Task { await values.next() }
    await Task.yield()
    reader.cancel()
    #expect(await reader.value == nil)
  }
}
