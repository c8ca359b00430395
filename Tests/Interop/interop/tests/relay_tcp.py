"""Relay-only on both sides; the device reaches coturn over TCP."""
from interop import relay_call


def run(context):
    return relay_call.run(context, "tcp")
