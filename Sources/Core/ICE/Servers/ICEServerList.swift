public import Signalling

/// The servers of one session: the usable ones, at most four of each kind, and why others are skipped.
public struct ICEServerList: Sendable {
  /// More than a few find no other paths, but each TURN server costs an allocation there.
  public static let limit = 4

  /// A TURN server and its credentials.
  public struct TURNServer: Sendable, Hashable {
    /// Where the server is.
    public var url: ICEServerURL
    /// A name, or what the hub derived for the session.
    public var username: String
    /// Secret.
    public var password: String
  }

  /// STUN servers, in the order of their naming.
  public private(set) var reflectors: [ICEServerURL] = []
  /// TURN servers, in the order of their naming.
  public private(set) var relays: [TURNServer] = []

  /// No servers.
  public init() {}

  /// Takes new, usable servers.
  ///
  /// - Returns: the new ones, and a line for each URL that is left out, without credentials; one line for all that are
  ///   too many.
  public mutating func add(
    _ descriptions: [ICEServer]
  ) -> (reflectors: [ICEServerURL], relays: [TURNServer], refusals: [String]) {
    let (oldReflectors, oldRelays) = (reflectors.count, relays.count)
    var refusals: [String] = []
    var surplus = 0
    for description in descriptions {
      for text in description.urls.prefix(2 * Self.limit) {
        do throws(ICEServerURLError) {
          if !add(try ICEServerURL(text), description) { surplus += 1 }
        } catch {
          refusals.append("\(error)")
        }
      }
      surplus += max(0, description.urls.count - 2 * Self.limit)
    }
    if surplus > 0 { refusals.append("\(surplus) more servers than the \(Self.limit) of each kind that a call uses") }
    return (Array(reflectors[oldReflectors...]), Array(relays[oldRelays...]), refusals)
  }

  /// Returns whether it fitted; one that is known already needs none.
  private mutating func add(_ url: ICEServerURL, _ description: ICEServer) -> Bool {
    switch url.kind {
    case .stun:
      if reflectors.contains(url) { return true }
      guard reflectors.count < Self.limit else { return false }
      reflectors.append(url)
    case .turn:
      if relays.contains(where: { $0.url == url }) { return true }
      guard relays.count < Self.limit else { return false }
      relays.append(TURNServer(url: url, username: description.username ?? "", password: description.credential ?? ""))
    }
    return true
  }
}

extension ICEServerList.TURNServer: CustomStringConvertible {
  /// Only the URL, so that no log shows the password.
  public var description: String { "\(url)" }
}

// Embedded Swift has no reflection.
#if !hasFeature(Embedded)
  extension ICEServerList.TURNServer: CustomReflectable {
    /// Only the URL, as in ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["url": url]) }
  }
#endif
