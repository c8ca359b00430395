import Logging
import MediaCore
import MediaPlaneAPI
internal import JournalLogging

/// What the journal says of a publication: its beginning, its end, and each problem once, until media flows again.
struct PublishLog: Sendable {
  private let target: PublishTarget
  private let logger: Logger
  private var reported: PublishFailure?
  private var isPublishing = false

  init(_ target: PublishTarget, _ logger: Logger) { (self.target, self.logger) = (target, logger) }

  /// What does not work now; nil if all is well.
  var problem: PublishFailure? { reported }

  mutating func follow(_ publication: Publication) {
    switch publication.phase {
    case .publishing: begin()
    case .idle: end()
    case .waiting: if let failure = publication.failure { report(failure) }
    case .connecting, .restarting: break
    }
  }

  func missing(_ missing: [MissingMedia]) {
    guard !missing.isEmpty else { return }
    logger.warning("publish \(target.name): not carried: \(missing.map(\.text).joined(separator: "; "))")
  }

  private mutating func begin() {
    if !isPublishing { logger.notice("publish \(target.name): the device publishes to \(target.endpoint)") }
    (isPublishing, reported) = (true, nil)
  }

  private mutating func end() {
    if isPublishing { logger.notice("publish \(target.name): the device publishes nothing any more") }
    (isPublishing, reported) = (false, nil)
  }

  private mutating func report(_ failure: PublishFailure) {
    if reported?.problem != failure.problem { logger.warning("publish \(target.name): \(failure); it is tried again") }
    (isPublishing, reported) = (false, failure)
  }
}
