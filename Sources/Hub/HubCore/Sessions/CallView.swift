/// What a viewer's requests need to know of its session, whichever node they reach.
public struct CallView: Codable, Sendable, Equatable {
  /// The viewer's newest offer.
  public private(set) var offer: String
  /// How often ICE was restarted.
  public private(set) var generation = 0

  public init(offer: String) { self.offer = offer }

  mutating func take(offer: String) {
    self.offer = offer
    generation += 1
  }
}
