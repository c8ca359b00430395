public import HubCore
public import Signalling

extension UserRecord {
  /// The role as operators administrate it.
  public var accountRole: AccountRole {
    get {
      switch role {
      case .operator: isAdministrator ? .administrator : .operator
      case .user, .anonymous, .guest, .viewer: .user
      case .device: .device
      }
    }
    set {
      isAdministrator = newValue == .administrator
      switch newValue {
      case .administrator, .operator: role = .operator
      case .user: role = .user
      case .device: role = .device
      }
    }
  }

  /// What decides who may change the account.
  public var standing: AccountStanding {
    AccountStanding(id: id, role: accountRole, groups: groups, isDisabled: isDisabled)
  }

  /// The code by which the person is to choose a password, good or not; nil where there is none.
  public var oneTimeCode: OneTimeCode? {
    switch credential {
    case .password(let text): OneTimeCode(text: text)
    case .enrolmentKey: nil
    }
  }
}
