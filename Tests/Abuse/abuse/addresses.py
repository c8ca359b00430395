"""Addresses of the loopback range: each may be the source of a connection, so one machine is many strangers."""

#: Who is watched while others attack.
BYSTANDER = "127.0.7.7"
#: Who attacks alone.
ATTACKER = "127.66.0.1"
#: Where the test's own reverse proxy connects from; no other address of this range is trusted as one.
PROXY = "127.0.9.9"


def strangers(count, block=67):
    """So many addresses of one block of the loopback range."""
    return [f"127.{block}.{index // 250}.{index % 250 + 1}" for index in range(count)]
