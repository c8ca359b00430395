"""Accounts for thousands of simulated devices, and some people."""
import base64
import hashlib
import json
import sqlite3
import subprocess
import time

#: People hear of everybody who comes and goes; devices do not.
PEOPLE = 16


def create(program, configuration, database, devices, seed):
    """Adds devices to the database of a hub that is not running, which is what enrolling each would do, and people by the
    program itself. Returns the lines that hub-load reads."""
    lines = []
    for number in range(PEOPLE):
        title = f"person {number}"
        command = [program, "add-user", "--config", configuration, "--title", title, "--generate"]
        finished = subprocess.run(command, text=True, capture_output=True, check=True, timeout=30)
        lines.append(f"{title}\tpassword\t{finished.stdout.strip()}")
    lines += _enrol(database, devices, seed)
    return "".join(f"{line}\n" for line in lines)


def _enrol(database, count, seed):
    lines, now = [], int(time.time() * 1_000)
    with sqlite3.connect(database) as connection:
        for number in range(count):
            title, key = f"device {number}", f"lsk_{_secret(seed, number)}"
            hashed = base64.b64encode(hashlib.sha256(key.encode()).digest()).decode()
            connection.execute(
                "INSERT INTO user (id, title, titleKey, role, kind, groups, credentialKind, credential, createdAt)"
                " VALUES (?, ?, ?, 'device', 'device', ?, 'enrolmentKey', ?, ?)",
                (f"device-{number:08d}-{seed:016x}", title, title, json.dumps(["default"]), hashed, now))
            lines.append(f"{title}\tkey\t{key}")
    connection.close()
    return lines


def _secret(seed, number):
    return hashlib.sha256(f"{seed} {number}".encode()).hexdigest()[:43]
