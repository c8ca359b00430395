/// The newest chat messages of all calls.
struct ChatLog: Sendable {
  static let capacity = 100

  /// The oldest first.
  private(set) var messages: [ChatMessage] = []

  mutating func append(_ message: ChatMessage) {
    if messages.count == Self.capacity { messages.removeFirst() }
    messages.append(message)
  }
}
