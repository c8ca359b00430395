internal import Signalling

/// What the hub posts to the receivers of `[[webhook]]`.
enum APIWebhooks {
  static func all(_ parts: DescriptionParts) throws -> JSONTree {
    let notice = try parts.schema(of: WebhookNotice.self)
    return [
      WebhookNotice.deviceEvent: [
        "post": [
          "operationId": "deviceEvent", "summary": "A device has noticed something.",
          "description": """
          To each [[webhook]] of hub.toml, as Standard Webhooks 1.0 has it: an event that a rule of the device sends, again \
          with the same webhook-id until the receiver takes it. guides/alerts.md tells how to verify the signature.
          """,
          "tags": [.text(APIOperation.Subject.device.rawValue)], "security": [],
          "parameters": .list(fields.map(parts.parameter)),
          "requestBody": ["required": true, "content": ["application/json": ["schema": notice]]],
          "responses": [
            "2XX": ["description": "Taken."], "408": again, "425": again, "429": again, "5XX": again,
            "default": ["description": "Not wanted: it is not sent again. No redirect is followed."],
          ],
        ]
      ]
    ]
  }

  private static let again: JSONTree = [
    "description": "It is sent again later, after what Retry-After says at the earliest."
  ]

  private static let fields: [APIParameter] = [
    .header(
      WebhookField.id, ["type": "string"], "Of this event by this rule, the same each time that it is sent.",
      isRequired: true),
    .header(
      WebhookField.timestamp, ["type": "integer"], "When it is sent, in seconds since 1970.", isRequired: true),
    .header(
      WebhookField.signature, ["type": "string", "pattern": "^v1,[A-Za-z0-9+/]{43}=$"],
      "HMAC-SHA256 over id, timestamp and body, where hub.toml has a secret."),
  ]
}
