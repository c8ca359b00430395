import Signalling

/// How far the placing of a call by this device has come.
struct CallPlacing: Sendable {
  /// Why a call could not be placed.
  enum Refusal: Sendable, Equatable {
    /// The hub refused; the code names the reason.
    case refused(String)
    /// The hub was not there, or did not say.
    case unreachable
  }

  /// The end reason of a call that never reached the hub.
  static let hubUnreachable = "hub-unreachable"
  /// A hub that says more is not believed.
  private static let maximumPhones = 100

  /// The offer that the call was placed with.
  var offer: String?
  /// Whether the hub has taken the call.
  var isPlaced = false
  /// How many phones ring, besides pages; nil for none.
  private(set) var phones: Int?

  /// - Parameter phones: as the hub says.
  mutating func rings(phones: Int?) {
    if let phones, phones > 0 { self.phones = min(phones, Self.maximumPhones) }
  }
}
