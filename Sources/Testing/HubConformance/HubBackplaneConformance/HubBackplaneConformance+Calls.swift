internal import HubCore
internal import Signalling
internal import TestSupport
internal import Testing

extension HubBackplaneConformance {
  /// At whichever nodes a call is placed, answered, recorded and ended: its end is reported once, by one of them.
  func eachEndIsReportedOnce() async throws {
    let (alice, bob) = try await pair("reports")
    try await alice.call(bob, "reports-1")
    try await bob.awaitEvent(.callIncoming)
    try await bob.say(.ringing, in: "reports-1")
    try await bob.answer("reports-1", on: fleet.nodes[2])
    try await alice.awaitEvent(.callAnswered)
    #expect(fleet.pushes.reports(about: "reports-1").isEmpty)
    try await bob.say(.end(nil), in: "reports-1", on: fleet.nodes[2])
    try await alice.awaitEvent(.callEnded)
    try await alice.say(.end(nil), in: "reports-1")
    try await eventually("the end is reported") { !fleet.pushes.reports(about: "reports-1").isEmpty }
    let reports = fleet.pushes.reports(about: "reports-1")
    #expect(reports.count == 1 && reports.map(\.outcome) == [.answered] && reports.map(\.reason) == ["hangup"])
    let report = try #require(reports.first)
    #expect(report.caller == alice.principal && report.receiver == bob.principal)
    let times = [report.startedAt, report.ringingAt, report.answeredAt, report.endedAt].compactMap(\.self)
    #expect(times.count == 4 && times == times.sorted())
  }
}
