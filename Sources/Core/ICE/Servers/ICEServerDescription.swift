/// Servers as signalling names them: some URLs that share one user name and password.
public struct ICEServerDescription: Sendable, Hashable {
  public var urls: [String]
  public var username: String
  /// Secret.
  public var credential: String

  public init(urls: [String], username: String = "", credential: String = "") {
    self.urls = urls
    self.username = username
    self.credential = credential
  }
}

extension ICEServerDescription: CustomStringConvertible {
  /// The URLs alone, so that no log shows the password.
  public var description: String { urls.joined(separator: " ") }
}

// Embedded Swift has no reflection.
#if !hasFeature(Embedded)
  extension ICEServerDescription: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["urls": urls]) }
  }
#endif
