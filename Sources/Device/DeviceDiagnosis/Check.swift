import ControlMessages
import MediaCore
import RealtimeRuntime
import SystemSupport

/// A check of one part.
struct Check: Sendable {
  let part: Finding.Part
  /// After this time the part counts as one that does not answer.
  let limit: TimeSpan
  /// May block.
  let run: @Sendable () -> [Finding]

  init(_ part: Finding.Part, limit: TimeSpan = .seconds(5), run: @escaping @Sendable () -> [Finding]) {
    self.part = part
    self.limit = limit
    self.run = run
  }
}

extension Check {
  /// Runs checks at the same time and returns what they find, in their order. No check waits for another, or makes one
  /// fail; it takes as long as the longest limit at most.
  static func run(_ checks: [Check]) -> [Finding] {
    let runs = checks.map { CheckRun($0) }
    return runs.flatMap { $0.findings() }
  }
}

/// A check that runs on a thread of its own, which a driver may block forever.
private struct CheckRun {
  private let check: Check
  private let deadline: MonotonicInstant
  private let result = Promise<[Finding]>()

  init(_ check: Check) {
    self.check = check
    deadline = MonotonicClock.now() + check.limit
    start()
  }

  /// Waits for the check's end, or its deadline.
  func findings() -> [Finding] { result.wait(deadline - MonotonicClock.now()) ?? [overdue] }

  private func start() {
    do {
      try MediaThread(name: "check") { [check, result] in result.fulfil(check.run()) }.detach()
    } catch {
      result.fulfil([Finding(check.part, .failure, "cannot be checked: \(error)")])
    }
  }

  private var overdue: Finding {
    Finding(
      check.part, .failure, "does not answer within \(check.limit.milliseconds) ms",
      remedy: "a driver or a service hangs: see dmesg and the journal")
  }
}
