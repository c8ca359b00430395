/// Why a session token is not believed; the description completes "its session token …".
public enum SessionTokenError: Error, Sendable, Equatable, CustomStringConvertible {
  case tooLong
  case malformed
  case otherAlgorithm
  case noKeyID
  case badSignature
  case otherAudience
  case incomplete
  case unknownRole
  case otherSession
  case otherUser
  case notYetIssued
  case expired

  public var description: String {
    switch self {
    case .tooLong: "is too long"
    case .malformed: "is no signed JWT"
    case .otherAlgorithm: "is not signed with \(SignedToken.algorithm)"
    case .noKeyID: "names no key"
    case .badSignature: "is not signed by the hub's key"
    case .otherAudience: "is none for sessions"
    case .incomplete: "lacks claims, or ends before it begins"
    case .unknownRole: "names a role that this version does not know"
    case .otherSession: "is for another session"
    case .otherUser: "is for another user"
    case .notYetIssued: "comes from the future; compare the clocks of hub and device"
    case .expired: "has expired; compare the clocks of hub and device"
    }
  }
}
