import Foundation
import SystemSupport
import Testing

@Suite struct ProcessorsTests {
  @Test func countsThoseThatMayBeUsed() {
    #expect(Processors.usableCount >= 1)
    #expect(Processors.usableCount <= ProcessInfo.processInfo.processorCount)
  }
}
