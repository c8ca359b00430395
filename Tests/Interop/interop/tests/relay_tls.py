"""Relay-only on both sides; the device reaches coturn over TLS, whose certificate is from an authority that device.toml names."""
from interop import relay_call


def run(context):
    return relay_call.run(context, "tls")
