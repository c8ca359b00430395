import Foundation
import Synchronization
import HostSystem
import Testing

/// The environment belongs to the whole process: one at a time.
@Suite("sd_notify(3)", .serialized, .timeLimit(.minutes(1)))
struct SystemdNotifyTests {
  @Test func messagesReachTheSocket() throws {
    let socket = try NotifySocket()
    let notifier = SystemdNotifier()
    notifier.ready(status: "online")
    notifier.status("2 calls")
    notifier.reloading(monotonicMicroseconds: 42)
    notifier.ready()
    notifier.watchdog()
    notifier.stopping()
    #expect(
      socket.receiveAll() == [
        "READY=1\nSTATUS=online", "STATUS=2 calls", "RELOADING=1\nMONOTONIC_USEC=42", "READY=1", "WATCHDOG=1",
        "STOPPING=1",
      ])
  }

  @Test func aTitleCannotForgeAnAssignment() throws {
    let socket = try NotifySocket()
    SystemdNotifier().status("a\nMAINPID=1\r\n\0b")
    #expect(socket.receiveAll() == ["STATUS=a MAINPID=1   b"])
  }

  @Test func withoutSystemdNothingHappens() {
    unsetenv("NOTIFY_SOCKET")
    SystemdNotifier().ready()
    #expect(SystemdNotifier().watchdogInterval == nil)
  }

  @Test func theWatchdogsIntervalIsRead() {
    setenv("WATCHDOG_USEC", "30000000", 1)
    setenv("WATCHDOG_PID", String(getpid()), 1)
    defer {
      unsetenv("WATCHDOG_USEC")
      unsetenv("WATCHDOG_PID")
    }
    #expect(SystemdNotifier().watchdogInterval == .seconds(30))
    setenv("WATCHDOG_PID", "1", 1)
    #expect(SystemdNotifier().watchdogInterval == nil)
    setenv("WATCHDOG_PID", String(getpid()), 1)
    setenv("WATCHDOG_USEC", "nonsense", 1)
    #expect(SystemdNotifier().watchdogInterval == nil)
  }

  @Test func theFeederPingsWhileAllLoopsTurn() {
    let counters = Counters()
    var feeder = WatchdogFeeder(loops: [
      .init(name: "network") { counters.network.load(ordering: .relaxed) },
      .init(name: "control") { counters.control.load(ordering: .relaxed) },
    ])
    var answers = [feeder.shouldPing(), feeder.shouldPing()]
    counters.network.add(1, ordering: .relaxed)
    answers.append(feeder.shouldPing())
    #expect(answers == [true, false, false])
    #expect(feeder.stalledLoops == ["control"])
    counters.control.add(5, ordering: .relaxed)
    answers = [feeder.shouldPing(), feeder.shouldPing()]
    #expect(answers == [true, false])
  }

  private final class Counters: Sendable {
    let network = Atomic<UInt64>(0)
    let control = Atomic<UInt64>(0)
  }

  @Test func aStalledLoopIsReportedAndNotFed() async throws {
    let socket = try NotifySocket()
    setenv("WATCHDOG_USEC", "40000", 1)
    setenv("WATCHDOG_PID", String(getpid()), 1)
    defer {
      unsetenv("WATCHDOG_USEC")
      unsetenv("WATCHDOG_PID")
    }
    let (stalls, sink) = AsyncStream.makeStream(of: [String].self)
    let task = Task {
      await WatchdogFeeder(loops: [.init(name: "network") { 7 }]).run(SystemdNotifier()) { sink.yield($0) }
    }
    var iterator = stalls.makeAsyncIterator()
    #expect(await iterator.next() == ["network"])
    task.cancel()
    await task.value
    #expect(socket.receiveAll() == ["WATCHDOG=1"])
  }
}
