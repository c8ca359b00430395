import Glibc
import Synchronization

/// Notes SIGINT, SIGTERM and SIGHUP, so that work can end cleanly.
enum Interruption {
  private static let signalNumber = Atomic<Int32>(0)

  static var hasCome: Bool { signalNumber.load(ordering: .relaxed) != 0 }

  /// What shells expect of a program that a signal ended.
  static var exitCode: Int32 { 128 + signalNumber.load(ordering: .relaxed) }

  static func watch() {
    // An atomic store is all that a signal handler may do.
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number) { Interruption.signalNumber.store($0, ordering: .relaxed) }
    }
  }
}
