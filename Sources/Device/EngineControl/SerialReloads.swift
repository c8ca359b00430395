/// Has settings taken over one after the other, each as a whole, however many ask for it at the same time.
actor SerialReloads {
  private var last: Task<Void, any Error>?

  /// Waits until those before are done.
  func run(_ reload: @escaping @Sendable () async throws -> Void) async throws {
    let before = last
    let task = Task {
      _ = await before?.result
      try await reload()
    }
    last = task
    try await task.value
  }
}
