import CMosquitto
import Glibc

/// One connection to a broker: owns libmosquitto's handle, which serves one attempt to connect and is never used again.
///
/// Belongs to one thread: the library is used without its own thread and calls back within the calls made here.
final class MosquittoSession {
  /// What a call of the library brought about.
  enum Step {
    /// The broker has let the client in.
    case connected
    /// The broker has a message, or does not want it.
    case acknowledged(id: Int32, isRefused: Bool)
    case message(MQTTMessage)
    /// The broker has answered a subscription; `isGranted` says how.
    case subscribed(id: Int32, isGranted: Bool)
    case failed(MQTTFailure)
  }

  /// A command's payload has a few octets: a longer one is not copied.
  static let longestPayload = 4 << 10
  static let longestTopic = 512
  private static let isInitialized: Bool = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.code

  private let handle: OpaquePointer
  private let version: MQTTBroker.Version
  private var steps: [Step] = []
  /// The library's last message about an error, which says of TLS what failed.
  private var complaint: String?
  private var lastReceived: UInt64 = 0

  /// - Throws: what of the settings cannot be used.
  init(_ broker: MQTTBroker, _ credentials: MQTTCredentials?) throws(MQTTFailure) {
    guard Self.isInitialized, let handle = mosquitto_new(broker.clientID, true, nil) else {
      throw .library(function: "mosquitto_new", String(cString: strerror(errno)))
    }
    self.handle = handle
    version = broker.version
    mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
    setCallbacks()
    try configure(broker, credentials)
  }

  deinit { mosquitto_destroy(handle) }

  private func configure(_ broker: MQTTBroker, _ credentials: MQTTCredentials?) throws(MQTTFailure) {
    let protocolVersion = broker.version == .five ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
    try check("mosquitto_int_option", mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, protocolVersion))
    _ = mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1)
    if let credentials {
      try check(
        "mosquitto_username_pw_set", mosquitto_username_pw_set(handle, credentials.user, credentials.password))
    }
    if let will = broker.will {
      try check(
        "mosquitto_will_set",
        mosquitto_will_set(handle, will.topic, Int32(will.payload.count), will.payload, 1, will.isRetained))
    }
    if let tls = broker.tls { try configure(tls) }
  }

  private func configure(_ tls: MQTTBroker.TLS) throws(MQTTFailure) {
    for file in [tls.authorityFile, tls.certificate?.file, tls.certificate?.keyFile].compactMap(\.self)
    where access(file, R_OK) != 0 {
      throw .unreadable("\(file) cannot be read: \(String(cString: strerror(errno)))")
    }
    // The library wants one of the two; the folder has the system's authorities by the hashes of their names.
    let folder = tls.authorityFile == nil ? "/etc/ssl/certs" : nil
    try check(
      "mosquitto_tls_set",
      mosquitto_tls_set(handle, tls.authorityFile, folder, tls.certificate?.file, tls.certificate?.keyFile, nil))
    try check("mosquitto_tls_opts_set", mosquitto_tls_opts_set(handle, 1, nil, nil))
  }

  private func check(_ function: String, _ code: Int32) throws(MQTTFailure) {
    guard code == MOSQ_ERR_SUCCESS.code else { throw .library(function: function, Self.text(code)) }
  }

  // MARK: Work

  /// Begins to connect; looking up the host's name blocks.
  func connect(host: String, port: UInt16, keepAlive: UInt16) throws(MQTTFailure) {
    let code = mosquitto_connect_async(handle, host, Int32(port), Int32(keepAlive))
    guard code != MOSQ_ERR_SUCCESS.code, code != MOSQ_ERR_CONN_PENDING.code else { return limitBuffer() }
    guard code == MOSQ_ERR_ERRNO.code, errno != EPROTO, complaint == nil else { throw failure(code) }
    throw .unreachable(String(cString: strerror(errno)))
  }

  /// Of a broker that sends without end, the kernel holds little back, so that each turn of the loop reads little.
  private func limitBuffer() {
    var size: CInt = 16 << 10
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
  }

  /// The socket; -1 without one.
  var descriptor: CInt { mosquitto_socket(handle) }

  var wantsOutput: Bool { mosquitto_want_write(handle) }

  /// Octets that the kernel has received.
  var received: UInt64 {
    if descriptor >= 0 { lastReceived = cmosquitto_received(descriptor) }
    return lastReceived
  }

  func read() -> [Step] { steps(after: mosquitto_loop_read(handle, 1)) }

  func write() -> [Step] { steps(after: mosquitto_loop_write(handle, 1)) }

  /// Probes the connection when that is due.
  func maintain() -> [Step] { steps(after: mosquitto_loop_misc(handle)) }

  /// Hands a message over at least once (QoS 1); returns its id.
  ///
  /// - Throws: ``MQTTFailure/library(function:_:)`` for a message that this broker cannot have.
  func publish(_ message: MQTTMessage) throws(MQTTFailure) -> Int32 {
    var id: Int32 = 0
    let code = mosquitto_publish(
      handle, &id, message.topic, Int32(message.payload.count), message.payload, 1, message.isRetained)
    switch mosq_err_t(rawValue: code) {
    case MOSQ_ERR_SUCCESS: return id
    case MOSQ_ERR_INVAL, MOSQ_ERR_PAYLOAD_SIZE, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_OVERSIZE_PACKET,
      MOSQ_ERR_QOS_NOT_SUPPORTED, MOSQ_ERR_RETAIN_NOT_SUPPORTED:
      throw .library(function: "mosquitto_publish", Self.text(code))
    default: throw .lost(Self.text(code))
    }
  }

  func subscribe(_ topic: String) throws(MQTTFailure) -> Int32 {
    var id: Int32 = 0
    let code = mosquitto_subscribe(handle, &id, topic, 1)
    guard code == MOSQ_ERR_SUCCESS.code else { throw .lost(Self.text(code)) }
    return id
  }

  func disconnect() { mosquitto_disconnect(handle) }

  private func steps(after code: Int32) -> [Step] {
    defer { steps.removeAll() }
    let hasFailed = steps.contains { if case .failed = $0 { true } else { false } }
    if code != MOSQ_ERR_SUCCESS.code, !hasFailed { steps.append(.failed(failure(code))) }
    return steps
  }

  private static func text(_ code: Int32) -> String { String(cString: mosquitto_strerror(code)) }

  private func failure(_ code: Int32) -> MQTTFailure {
    switch mosq_err_t(rawValue: code) {
    case MOSQ_ERR_EAI: .unknownHost
    case MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE: .untrusted(complaint ?? Self.text(code))
    case MOSQ_ERR_ERRNO where errno == EPROTO && complaint == nil: .cutOff
    case MOSQ_ERR_ERRNO:
      if let complaint { .untrusted(complaint) } else { .lost(String(cString: strerror(errno))) }
    case MOSQ_ERR_CONN_LOST, MOSQ_ERR_NO_CONN: .lost(Self.text(code))
    case MOSQ_ERR_KEEPALIVE: .silent
    default: .lost(Self.text(code))
    }
  }
}

// MARK: - Callbacks

extension MosquittoSession {
  private func setCallbacks() {
    mosquitto_connect_v5_callback_set(handle) { _, context, code, _, _ in
      MosquittoSession.of(context).connected(code)
    }
    mosquitto_disconnect_v5_callback_set(handle) { _, context, code, _ in
      MosquittoSession.of(context).disconnected(code)
    }
    mosquitto_publish_v5_callback_set(handle) { _, context, id, code, _ in
      MosquittoSession.of(context).steps.append(.acknowledged(id: id, isRefused: code >= 128))
    }
    mosquitto_subscribe_v5_callback_set(handle) { _, context, id, count, granted, _ in
      let isGranted = UnsafeBufferPointer(start: granted, count: Int(max(0, count))).allSatisfy { (0...2).contains($0) }
      MosquittoSession.of(context).steps.append(.subscribed(id: id, isGranted: isGranted))
    }
    mosquitto_message_v5_callback_set(handle) { _, context, message, _ in
      guard let message else { return }
      MosquittoSession.of(context).take(message.pointee)
    }
    mosquitto_log_callback_set(handle) { _, context, level, text in
      guard level == Int32(MOSQ_LOG_ERR), let text else { return }
      MosquittoSession.of(context).complaint = MosquittoSession.cause(String(cString: text))
    }
  }

  /// Of `OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed` what people understand.
  private static func cause(_ text: String) -> String {
    text.split(separator: "::").last.map(String.init) ?? text
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> MosquittoSession {
    // Set right after the handle is made, and the handle dies with the session.
    Unmanaged<MosquittoSession>.fromOpaque(context!).takeUnretainedValue()
  }

  private func connected(_ code: Int32) { steps.append(code == 0 ? .connected : .failed(Self.refusal(code, version))) }

  /// The codes of MQTT 3.1.1, table 3.1, and of MQTT 5, table 3-1.
  private static func refusal(_ code: Int32, _ version: MQTTBroker.Version) -> MQTTFailure {
    switch (version, code) {
    case (.three, 1), (.five, 132), (.five, 1): .unsupportedVersion
    case (.three, 2), (.five, 133): .clientIDRefused
    case (.three, 4), (.five, 134): .badCredentials
    case (.three, 5), (.five, 135), (.five, 138): .notAuthorized
    default: .refused(code: Int(code))
    }
  }

  private func disconnected(_ code: Int32) {
    guard code != 0 else { return }
    let isTakeover = version == .five && code == 142
    steps.append(.failed(isTakeover ? .takenOver : failure(code)))
  }

  private func take(_ message: mosquitto_message) {
    let count = Int(message.payloadlen)
    guard count <= Self.longestPayload, let topic = message.topic.flatMap({ String(validatingCString: $0) }),
      topic.utf8.count <= Self.longestTopic
    else {
      return
    }
    let payload = message.payload.map { Array(UnsafeRawBufferPointer(start: $0, count: max(0, count))) } ?? []
    steps.append(.message(MQTTMessage(topic: topic, payload: payload, isRetained: message.retain)))
  }
}

extension mosq_err_t {
  /// As functions return it.
  fileprivate var code: Int32 { rawValue }
}
