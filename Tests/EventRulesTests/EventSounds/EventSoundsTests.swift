import EventRules
import MediaCore
import MediaPlaneAPI
import Signalling
import Testing

@testable import CallEngine

@Suite struct EventSoundsTests {
  private static let files = EventSoundFiles(
    recording: .file(path: "/recording.wav"), ended: .file(path: "/ended.wav"), refused: .file(path: "/refused.wav"),
    action: .file(path: "/open.wav"))
  private var sounds = EventSounds(Self.files)

  private func call(_ sessionID: SessionID, _ phase: CallPhase, isOutgoing: Bool = false) -> EngineEvent {
    let party = CallParty(userID: "u", userTitle: "Ann")
    return .call(
      CallSnapshot(
        sessionID: sessionID, caller: party, receiver: isOutgoing ? party : nil, isAudio: true, isVideo: true,
        startedAt: MonotonicInstant(nanoseconds: 0), phase: phase, ruleName: nil, archiveID: nil))
  }

  private mutating func take(_ events: EngineEvent..., isQuiet: Bool = false) -> [EventSoundAction] {
    events.flatMap { sounds.take($0, isQuiet: isQuiet) }
  }

  @Test mutating func ringsWhileACallWaitsForSomebody() {
    #expect(take(call("a", .ringing)) == [.ring(.tone)])
    #expect(take(call("a", .answering)) == [.stopRinging])
    #expect(take(call("a", .connecting), call("a", .connected)) == [])
  }

  @Test mutating func ringsOnceForTwoCallsUntilNoneWaits() {
    #expect(take(call("a", .ringing), call("b", .ringing)) == [.ring(.tone)])
    #expect(take(call("a", .ended(reason: "cancelled"))) == [])
    #expect(take(call("b", .answering)) == [.stopRinging])
  }

  @Test mutating func doesNotRingForACallThatIsAnsweredByItself() {
    #expect(take(call("a", .delaying), call("a", .answering), call("a", .connected)) == [])
  }

  @Test mutating func tellsThatACallIsOverIfMediaFlowed() {
    _ = take(call("a", .connected))
    #expect(take(call("a", .ended(reason: "hangup"))) == [.play(.file(path: "/ended.wav"))])
    #expect(take(call("b", .ended(reason: "declined"))) == [])
  }

  @Test mutating func tellsThatACallOfTheDeviceWasNotAnswered() {
    _ = take(call("a", .alerting, isOutgoing: true))
    #expect(take(call("a", .ended(reason: "unanswered"), isOutgoing: true)) == [.play(.file(path: "/refused.wav"))])
    _ = take(call("b", .connected, isOutgoing: true))
    #expect(take(call("b", .ended(reason: "hangup"), isOutgoing: true)) == [.play(.file(path: "/ended.wav"))])
  }

  @Test mutating func tellsThatACallIsRecordedButNotThatTheDeviceRecordsItself() {
    #expect(take(.archiveStarted(archiveID: "1", sessionID: "a")) == [.play(.file(path: "/recording.wav"))])
    #expect(take(.archiveStarted(archiveID: "2", sessionID: nil)) == [])
  }

  @Test mutating func tellsThatAnActionIsDone() {
    func use(_ refusal: String?) -> EngineEvent {
      .action(
        ActionUse(action: "open-door", requester: "local", userID: nil, sessionID: nil, refusal: refusal))
    }
    #expect(take(use(nil), isQuiet: true) == [.play(.file(path: "/open.wav"))])
    #expect(take(use("the PIN is wrong")) == [])
  }

  @Test mutating func isQuietInQuietHoursButForRecordings() {
    #expect(take(call("a", .ringing), call("a", .connected), call("a", .ended(reason: "hangup")), isQuiet: true) == [])
    #expect(
      take(.archiveStarted(archiveID: "1", sessionID: "a"), isQuiet: true) == [.play(.file(path: "/recording.wav"))])
  }

  @Test mutating func stopsRingingAlsoWhenQuietHoursHaveBegun() {
    _ = take(call("a", .ringing))
    #expect(take(call("a", .answering), isQuiet: true) == [.stopRinging])
  }

  @Test mutating func playsNothingThatIsNotNamed() {
    sounds = EventSounds(EventSoundFiles(ringing: nil))
    #expect(take(call("a", .ringing), call("a", .connected), call("a", .ended(reason: "hangup"))) == [])
    #expect(take(.archiveStarted(archiveID: "1", sessionID: "a")) == [])
  }
}
