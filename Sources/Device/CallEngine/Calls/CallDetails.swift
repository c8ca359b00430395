import CallPolicy
import MediaCore
import Signalling

/// A user at the hub.
public struct CallParty: Sendable, Equatable {
  public var userID: String
  public var userTitle: String

  public init(userID: String, userTitle: String) {
    self.userID = userID
    self.userTitle = userTitle
  }
}

/// What does not change about a call.
struct CallDetails: Sendable {
  let sessionID: SessionID
  let caller: CallParty
  /// Whom this device calls; nil when the call came in.
  let receiver: CallParty?
  let isAudio: Bool
  let isVideo: Bool
  /// What the device itself has to give.
  let ownMedia: Set<MediaKind>
  /// What the caller may do, as the hub has signed it; nil if it has not, and in a call that this device places.
  var callerRole: SessionRole?
  /// What the hub reports of the other party; of a called user, once it rings there.
  var partyUserRole: CallerRole?
  var partyGroups: [String]?
  /// What a call that came in offers.
  var offer = ""
  /// What the hub named for the call; of one that this device places, once the hub has taken it.
  var iceServers: [ICEServer] = []

  /// The one at the other end.
  var party: CallParty { receiver ?? caller }

  /// The one at the other end as rules about actions see it.
  var actionParty: ActionParty { ActionParty(userID: party.userID, role: partyUserRole, groups: partyGroups) }

  /// What the call carries.
  var media: Set<MediaKind> {
    var media: Set<MediaKind> = []
    if isAudio { media.insert(.audio) }
    if isVideo { media.insert(.video) }
    return media
  }
}

extension CallDetails {
  /// A subscriber asks for neither audio nor video both ways, so it may be shown both.
  init(_ event: IncomingCallEvent, _ role: SessionRole?, ownMedia: Set<MediaKind>) {
    let onlyReceives = role == .subscriber
    self.init(
      sessionID: event.sessionID, caller: CallParty(userID: event.callerID, userTitle: event.callerTitle),
      receiver: nil, isAudio: event.isAudio || onlyReceives, isVideo: event.isVideo || onlyReceives, ownMedia: ownMedia,
      callerRole: role, partyUserRole: CallerRole(hubName: event.callerRole), partyGroups: event.callerGroups,
      offer: event.offer, iceServers: event.iceServers)
  }

  /// Takes what the hub reports of the user whom this device calls, when it rings there and when it is answered.
  mutating func note(role: String?, groups: [String]?) {
    partyUserRole = role.flatMap { CallerRole(hubName: $0) }
    partyGroups = groups
  }
}
