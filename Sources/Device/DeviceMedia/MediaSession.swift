import MediaCore
import MediaPlaneAPI
import NetworkLoop
import Signalling

/// One call as the media side knows it.
struct MediaSession {
  /// What may be sent, as the policy has it.
  var publish: Set<MediaKind>
  /// What the other side offered in a way that cannot be agreed to.
  var missing: [MissingMedia] = []
  /// The other side may send sound, as far as it is agreed.
  var receivesSound = false
  /// The caller's sound is played.
  var mayTalk: Bool
  /// But not while too many others talk.
  var maxTalkers = Int.max
  /// The caller was notified that too many others talk, and waits until one of them has left.
  var waitsForSpeaker = false
  /// Media flows.
  var isConnected = false
  /// A signal is played when media flows.
  var playsTone: Bool
  /// To a server, in a session that is no call.
  let isPublished: Bool

  /// - Parameter available: what this device has.
  init(_ request: PeerSessionRequest, available: Set<MediaKind>) {
    publish = request.publish.intersection(available)
    mayTalk = request.mayTalk
    maxTalkers = request.maxTalkers
    playsTone = request.playsTone
    isPublished = request.isWhole
  }
}

/// The current sessions, one at a time of each id.
///
/// What is known across an `await`, or comes from the network, names an attempt by its handle: it finds nothing once
/// that attempt is over, although another may have been begun under the same id.
struct MediaSessions {
  private struct Attempt {
    let handle: SessionHandle
    var session: MediaSession
  }

  private var attempts: [SessionID: Attempt] = [:]
  private var attemptCount: UInt64 = 0

  var isEmpty: Bool { attempts.isEmpty }
  var ids: Set<SessionID> { Set(attempts.keys) }
  var handles: [SessionHandle] { attempts.values.map(\.handle) }

  /// The sessions whose other side waits to be audible, in the order in which they began.
  var waitingForSpeaker: [SessionHandle] {
    attempts.values.filter(\.session.waitsForSpeaker).map(\.handle).sorted { $0.attempt < $1.attempt }
  }

  /// The sessions whose other side may send sound.
  var soundSenders: Set<SessionID> { Set(attempts.filter { $0.value.session.receivesSound }.keys) }

  /// The present attempt at a session.
  func handle(of sessionID: SessionID) -> SessionHandle? { attempts[sessionID]?.handle }

  /// Nil when that attempt is over.
  subscript(handle: SessionHandle) -> MediaSession? {
    attempts[handle.sessionID].flatMap { $0.handle == handle ? $0.session : nil }
  }

  /// Adds a session; returns nil if there is one of that id.
  mutating func begin(_ sessionID: SessionID, _ session: MediaSession) -> SessionHandle? {
    guard attempts[sessionID] == nil else { return nil }
    attemptCount += 1
    let handle = SessionHandle(sessionID, attempt: attemptCount)
    attempts[sessionID] = Attempt(handle: handle, session: session)
    return handle
  }

  /// Changes what is known of a session, if that attempt is not over.
  mutating func update(_ handle: SessionHandle, _ change: (inout MediaSession) -> Void) {
    guard var attempt = attempts[handle.sessionID], attempt.handle == handle else { return }
    change(&attempt.session)
    attempts[handle.sessionID] = attempt
  }

  /// Returns whether that attempt was still there.
  mutating func remove(_ handle: SessionHandle) -> Bool {
    guard attempts[handle.sessionID]?.handle == handle else { return false }
    attempts[handle.sessionID] = nil
    return true
  }
}
