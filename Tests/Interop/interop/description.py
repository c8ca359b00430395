"""The hub's OpenAPI description: answers compared with it, and requests that schemathesis makes out of it."""
import collections
import json
import pathlib
import subprocess
import sys
import urllib.error
import urllib.request

import jsonschema_rs

from interop.world import toml

#: Seconds for one answer, and for all that schemathesis asks in one run.
PATIENCE, LIMIT = 10, 120
JSON, EVENTS = "application/json", "text/event-stream"
#: The share of requests that the hub may refuse for coming too often: more would hide what it thinks of them.
REFUSED = 0.1


class Description:
    """What the hub serves as its description."""

    def __init__(self, url):
        self.url = url
        with urllib.request.urlopen(f"{url}/v1/openapi.json", timeout=PATIENCE) as answer:
            self._document = json.load(answer)

    def write(self, path):
        """Schemathesis leaves out the operation by which it gets a description; of a file it tries all."""
        path.write_text(json.dumps(self._document))

    @property
    def operations(self):
        """By their ids, with what schemathesis calls them as `label`."""
        return {one["operationId"]: {**one, "label": f"{method.upper()} {path}"}
                for path, methods in self._document["paths"].items() for method, one in methods.items()}

    def faults(self, schema, value):
        """What makes a value none of a schema."""
        validator = jsonschema_rs.validator_for({"allOf": [schema], "components": self._document["components"]})
        return [f"{list(fault.instance_path)}: {fault.message}"[:300] for fault in validator.iter_errors(value)]

    def body_faults(self, operation, body):
        """The same of a request's body."""
        return self.faults(operation["requestBody"]["content"][JSON]["schema"], body)

    def webhook(self, name):
        return self._document["webhooks"][name]["post"]

    def ask(self, method, template, token, *, status=200, headers=None, query="", **values):
        """The body of an answer with this status, of a kind that the description has for it; JSON comes read and compared.

        `values` go into the braces of the path's template."""
        path = template.format(**values) + query
        what = f"{method} {path}"
        with self.open(method, path, token, headers) as answer:
            body, kind = answer.read(), answer.headers.get_content_type()
            if answer.status != status:
                raise AssertionError(f"{what}: {answer.status}, not {status}: {body[:300]}")
        described = self._resolve(self._document["paths"][template][method.lower()]["responses"][str(status)])
        content = described.get("content")
        missing = [name for name in described.get("headers", {}) if name not in answer.headers]
        if missing or (kind not in content if content else body):
            raise AssertionError(f"{what}: {kind} of {len(body)} bytes, without {missing}, is none of {content}")
        if not content or not kind.endswith("json"):
            return body
        self.require(content[kind]["schema"], json.loads(body), what)
        return json.loads(body)

    def _resolve(self, response):
        return self._document["components"]["responses"][response["$ref"].rsplit("/", 1)[1]] if "$ref" in response else response

    def open(self, method, path, token, headers=None, body=None):
        """The answer, whatever its status is."""
        fields = {"Authorization": f"Bearer {token}", **(headers or {})}
        request = urllib.request.Request(
            self.url + path, method=method, headers=fields, data=None if body is None else json.dumps(body).encode())
        try:
            return urllib.request.urlopen(request, timeout=PATIENCE)
        except urllib.error.HTTPError as error:
            return error

    def require(self, schema, value, what):
        if faults := self.faults(schema, value):
            raise AssertionError(f"{what}: {'; '.join(faults)}")

    def require_event(self, name, payload):
        self.require({"$ref": "#/components/schemas/Event"}, {"event": name, "data": payload}, f"the event {name}")


class Requests:
    """Requests that schemathesis makes out of the description, and what it thinks of the answers."""

    #: The same requests each time. ASCII, since a maxLength of the description bounds bytes.
    SETTINGS = f"""
request-timeout = {PATIENCE}
continue-on-failure = true
warnings = false
"""
    GENERATION = {"deterministic": True, "database": "none", "no-shrink": True, "codec": "ascii"}
    #: QUERY is none that the hub knows of any path, which is 501 and not 405 (RFC 9110, section 9.1).
    METHODS = ["GET", "PUT", "POST", "DELETE", "PATCH", "TRACE", "OPTIONS"]

    def __init__(self, description, folder, secrets, values, excused):
        """`secrets` are those of security schemes, `values` of parameters that lead to something, by their names; `excused` are
        operations that refuse what no schema can tell from what they take."""
        self._description, self._folder, self._secrets, self._excused = description, folder, secrets, excused
        self._values = {
            "dictionaries": {name: {"values": [value]} for name, value in values.items()},
            "parameters": {f'"path.{name}"': {"dictionary": name, "probability": 0.7} for name in values},
        }

    def send(self, name, operations, *, token=None, examples, uncovered=()):
        """Asks for these operations, and returns how often each status came, by the operations' ids.

        Each has so many random requests and, unless it is `uncovered`, those that try each keyword of its schemas."""
        folder = self._folder / name
        folder.mkdir()
        settings, report = folder / "schemathesis.toml", folder / "report.ndjson"
        settings.write_text(self._configuration(operations, token, examples, uncovered))
        self._description.write(folder / "openapi.json")
        finished = subprocess.run(
            [pathlib.Path(sys.executable).with_name("schemathesis"), "--config-file", settings, "run",
             folder / "openapi.json", "--url", self._description.url, "--no-color",
             "--report", "ndjson", "--report-ndjson-path", report],
            capture_output=True, text=True, cwd=folder, timeout=LIMIT, check=False)
        if finished.returncode:
            raise AssertionError(f"the hub and its description disagree, asked by {name}\n{finished.stdout}{finished.stderr}")
        statuses = _statuses(report, {one["label"]: one["operationId"] for one in self._description.operations.values()})
        total = sum(statuses.values(), collections.Counter())
        if total[429] > REFUSED * total.total():
            raise AssertionError(f"{name} asked too often: {statuses}")
        return statuses

    def _configuration(self, operations, token, examples, uncovered):
        secrets = {**self._secrets, **({"accessToken": {"bearer": token}} if token else {})}
        left_out = sorted(set(self._description.operations) - set(operations))
        return self.SETTINGS + toml({
            "generation": {**self.GENERATION, "max-examples": examples},
            "phases": {"stateful.enabled": False, "coverage.unexpected-methods": self.METHODS},
            "checks": {"negative_data_rejection.expected-statuses": ["4xx"]},
            **self._values,
            **{f"auth.openapi.{scheme}": secret for scheme, secret in secrets.items()},
        }) + "".join(toml({"[operations]": rule}) for rule in (
            {"include-operation-id": left_out, "enabled": False},
            {"include-operation-id": sorted(uncovered), "phases.coverage.enabled": False},
            {"include-operation-id": self._excused,
             "checks.positive_data_acceptance.expected-statuses": ["2xx", "400", "401", "403", "404", "409", "429"]},
        ) if rule["include-operation-id"])


def _statuses(report, names):
    """How often each status is in a report, by the operation's name."""
    statuses = collections.defaultdict(collections.Counter)
    for line in report.read_text().splitlines():
        recorder = json.loads(line).get("ScenarioFinished", {}).get("recorder", {})
        for exchange in recorder.get("interactions", {}).values():
            if response := exchange.get("response"):
                statuses[names[recorder["label"]]][response["status_code"]] += 1
    return dict(statuses)
