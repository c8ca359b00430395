/// `POST /v1/account-ids`: titles for which a device wants the ids of accounts.
public struct AccountIDsRequest: Codable, Sendable {
  /// Titles of one request.
  public static let maxTitles = 32

  public var titles: [String]

  public init(titles: [String]) { self.titles = titles }
}

/// The accounts of the titles that were asked for, in their order; titles without an account are left out.
public struct AccountIDs: Codable, Sendable {
  public var items: [TitledAccount]

  public init(items: [TitledAccount]) { self.items = items }
}

/// The one account that has a title.
public struct TitledAccount: Codable, Sendable, Hashable {
  /// As it was asked for.
  public var title: String
  public var userID: String
  /// As the account has it: the same but for case, spaces and letters that look alike.
  public var userTitle: String

  public init(title: String, userID: String, userTitle: String) {
    self.title = title
    self.userID = userID
    self.userTitle = userTitle
  }
}
