import EventDetection
import CLinux
import Glibc
import MediaCore
import SystemSupport

/// The thread that reads an input device: opens it, reads, and after a break opens it again.
final class EvdevReader: Sendable {
  private let input: EvdevInput
  private let events: AsyncStream<EvdevInput.Event>.Continuation
  private let onChange: @Sendable (EvdevInput.Change) -> Void
  private let thread = ReaderThread()

  init(
    _ input: EvdevInput, events: AsyncStream<EvdevInput.Event>.Continuation,
    onChange: @escaping @Sendable (EvdevInput.Change) -> Void
  ) {
    self.input = input
    self.events = events
    self.onChange = onChange
  }

  func stop() { thread.stop() }

  func start() {
    do {
      try thread.start(name: "evdev") { self.run() }
    } catch {
      onChange(.unavailable("\(error)"))
      events.finish()
    }
  }

  private func run() {
    var pauses = Backoff(initial: .milliseconds(250), maximum: .seconds(5))
    var reported: String?
    while thread.isRunning {
      do throws(EvdevError) {
        let device = try EvdevHandle.open(input)
        pauses.reset()
        reported = nil
        onChange(.opened(path: device.path))
        try read(device)
      } catch {
        // The same cause is reported once.
        if thread.isRunning, reported != error.text { onChange(.unavailable(error.text)) }
        reported = error.text
      }
      for code in input.codes { report(code, isActive: false, .lost) }
      thread.rest(milliseconds: pauses.next().milliseconds)
    }
    events.finish()
  }

  /// Reads until it is to end.
  ///
  /// - Throws: when the device is gone.
  private func read(_ device: borrowing EvdevHandle) throws(EvdevError) {
    for code in input.codes { report(code, isActive: device.isActive(code), .found) }
    var isLost = false
    while thread.isRunning {
      guard cevdev_wait(device.descriptor, thread.alarm, thread.longestWait) != 0 else { continue }
      for event in try device.read() {
        if event.type == cevdev_type_sync, event.code == cevdev_sync_dropped { isLost = true }
        if event.type == cevdev_type_sync, event.code == cevdev_sync_report, isLost {
          // The kernel's buffer overflowed: its rest is useless, the keys' levels are not.
          isLost = false
          for code in input.codes { report(code, isActive: device.isActive(code), .edge) }
        } else if !isLost {
          report(event)
        }
      }
    }
  }

  /// Reports an edge of a requested code, without the kernel's auto-repeat.
  private func report(_ event: cevdev_event) {
    guard event.value == 0 || event.value == 1 else { return }
    guard let code = InputCode(event), input.codes.contains(code) else { return }
    let time = MonotonicInstant(seconds: event.seconds, nanoseconds: event.nanoseconds)
    events.yield(EvdevInput.Event(code: code, isActive: event.value == 1, time: time, origin: .edge))
  }

  private func report(_ code: InputCode, isActive: Bool, _ origin: LevelOrigin) {
    let now = MonotonicInstant(nanoseconds: cevdev_now())
    events.yield(EvdevInput.Event(code: code, isActive: isActive, time: now, origin: origin))
  }
}

extension InputCode {
  fileprivate init?(_ event: cevdev_event) {
    switch event.type {
    case cevdev_type_key:
      guard let key = KeyCode(number: Int(event.code)) else { return nil }
      self = .key(key)
    case cevdev_type_switch:
      guard let code = SwitchCode(number: Int(event.code)) else { return nil }
      self = .switch(code)
    default: return nil
    }
  }
}
