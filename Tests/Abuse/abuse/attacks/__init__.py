"""The attacks, one module each, in the order in which they run.

A module has `attack(stage)`, and may say what it needs: HUB_SETTINGS (lines of hub.toml), DEVICE_SETTINGS (sections of
device.toml), POLICY, HAS_HUB (False for the test's own), HAS_DEVICE, HAS_CALL, `variables(context)` of the device's
environment, `actions(context)` of the device (as interop.dialling has them), `begin(stage)` (before the bystanders come) and `prepare(stage)` (before memory is measured).
"""

#: A short run leaves these out.
LONG = ["lookalike_titles", "session_tokens", "policy_clock", "loud_caller", "rtp_flood", "dialled_pins", "stun_flood",
        "dtls_handshakes", "hostile_store", "hub_tls", "lying_sentinels"]
ALL = [
    "connection_flood", "pipelining", "login_storm", "presence_storm", "revoked_credentials", "guest_links",
    "malformed_http",
    "lookalike_titles", "session_tokens", "hostile_hub", "hostile_caller", "policy_clock", "control_socket",
    "location_reload", "archive_disk", "loud_caller", "rtp_flood", "dialled_pins", "stun_flood", "dtls_handshakes",
    "hostile_store", "hub_tls", "lying_sentinels",
]
QUICK = [name for name in ALL if name not in LONG]
