"""Relay-only on both sides; the device reaches coturn over UDP."""
from interop import relay_call


def run(context):
    return relay_call.run(context, "udp")
