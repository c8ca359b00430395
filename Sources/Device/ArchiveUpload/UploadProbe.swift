public import DeviceConfiguration
public import TLSClient

/// Finds out whether a store would take archives, without sending one.
public enum UploadProbe {
  /// What is wrong, and what to do about it.
  public struct Problem: Hashable, Sendable {
    public var text: String
    public var remedy: String?
  }

  /// Asks the store that the configuration names.
  ///
  /// - Parameters:
  ///   - credentials: the content of the file of credentials; nil where there is none.
  ///   - route: whether the store is reached through a proxy.
  ///   - now: milliseconds since 1970.
  /// - Returns: nil if all is well.
  public static func problem(
    _ settings: UploadSettings, credentials: String?, hashing: any UploadHashing, route: ProxyRoute = .direct,
    now: @escaping @Sendable () -> Int64
  ) async -> Problem? {
    let gate = UploadGate(UploadPacer.Limits(usual: nil, inCalls: nil)) { false }
    do {
      _ = try settings.readRecipient(now: now())
      let store = try settings.makeStore(
        credentials: credentials, UploadEnvironment(hashing: hashing, now: now, gate: gate, route: route))
      let problem = await problem(of: store)
      await store.shutdown()
      return problem
    } catch {
      return Problem(text: error.text, remedy: error.remedy)
    }
  }

  private static func problem(of store: any RemoteStore) async -> Problem? {
    do {
      try await store.probe()
      return nil
    } catch let failure as UploadFailure {
      return Problem(text: failure.text, remedy: failure.remedy)
    } catch {
      return Problem(text: "\(error)")
    }
  }
}
