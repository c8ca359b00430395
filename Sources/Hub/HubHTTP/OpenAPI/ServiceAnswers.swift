// Answers that the hub writes without a type, for its description.

/// `GET /.well-known/jwks.json`.
struct KeySetAnswer: Decodable {
  struct PublicKey: Decodable {
    var kty: String
    var crv: String
    var use: String
    var alg: String
    var x: String
    var kid: String
  }

  var keys: [PublicKey]
}

/// `GET /healthz`.
struct HealthAnswer: Decodable {
  var status: String
}
