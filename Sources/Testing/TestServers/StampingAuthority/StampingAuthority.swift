public import Foundation

/// A time-stamping authority of `openssl ts`, in a folder of its own.
public final class StampingAuthority: Sendable {
  public let folder: URL

  /// Makes a root, and a certificate for time stamps that it issued.
  public init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "tsa-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Self.settings.write(to: folder.appending(path: "ts.cnf"), atomically: true, encoding: .utf8)
    try "01\n".write(to: folder.appending(path: "serial"), atomically: true, encoding: .utf8)
    let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    try openssl(["req", "-x509", "-subj", "/CN=Root", "-keyout", "root.key", "-out", "root.pem", "-days", "2"] + curve)
    try openssl(["req", "-subj", "/CN=Stamps", "-keyout", "tsa.key", "-out", "tsa.csr"] + curve)
    try openssl([
      "x509", "-req", "-in", "tsa.csr", "-CA", "root.pem", "-CAkey", "root.key", "-CAcreateserial", "-out", "tsa.pem",
      "-days", "2", "-extfile", "ts.cnf", "-extensions", "usage",
    ])
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  public var rootFile: String { folder.appending(path: "root.pem").path }

  /// Answers a request in DER.
  public func answer(_ request: [UInt8]) throws -> [UInt8] {
    try Data(request).write(to: folder.appending(path: "request.tsq"))
    try openssl(["ts", "-reply", "-config", "ts.cnf", "-queryfile", "request.tsq", "-out", "answer.tsr"])
    return [UInt8](try Data(contentsOf: folder.appending(path: "answer.tsr")))
  }

  /// What `openssl ts -verify` says of an answer.
  public func isVerified(_ answer: [UInt8], digest: [UInt8]) throws -> Bool {
    try Data(answer).write(to: folder.appending(path: "given.tsr"))
    let text = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    do {
      try openssl(["ts", "-verify", "-digest", text, "-in", "given.tsr", "-CAfile", "root.pem"])
      return true
    } catch is Failure {
      return false
    }
  }

  struct Failure: Error {
    var arguments: [String]
  }

  func openssl(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(arguments: arguments) }
  }

  private static let settings = """
    [usage]
    extendedKeyUsage = critical,timeStamping
    [tsa]
    default_tsa = authority
    [authority]
    serial = serial
    signer_cert = tsa.pem
    signer_key = tsa.key
    certs = tsa.pem
    signer_digest = sha256
    default_policy = 1.2.3.4
    digests = sha256
    accuracy = secs:1
    ordering = no
    tsa_name = no
    ess_cert_id_chain = no
    """
}

extension StampingAuthority {
  /// Answers a request that `openssl ts` makes itself about a SHA-256 digest.
  public func answer(about digest: [UInt8]) throws -> [UInt8] {
    let text = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    try openssl(["ts", "-query", "-digest", text, "-sha256", "-cert", "-out", "own.tsq"])
    return try answer([UInt8](try Data(contentsOf: folder.appending(path: "own.tsq"))))
  }
}
