internal import Signalling

/// By what a viewer views: it has a session as a caller has, but no event stream, since requests wait for what it is to get.
public enum ViewerScope: Codable, Sendable, Hashable {
  /// The account, and the login whose token was given.
  case account(String, loginID: String)
  /// The invitation that the link was made with.
  case link(String)

  /// What ids of viewers begin with: they are none of the users who call or are called.
  public static let prefix = "viewer-"
}

extension Principal {
  /// An account that views by WHEP: it has the account's groups, and none of its further rights.
  public static func viewer(of account: Principal, loginID: String) -> Principal {
    Principal(
      userID: ViewerScope.prefix + account.userID, userTitle: account.userTitle, role: .viewer, kind: .person,
      groups: account.groups, viewer: .account(account.userID, loginID: loginID))
  }
}
