"""
The process of a controller in Python. It has the submission's module and nothing else: switches are reached by messages, lines of
JSON that come by stdin and go by descriptor 3, as src/course/submissions/controller/messages.ts has them. It reports that it is idle when
no call of the module is left to do; the test's time stands still until then.
"""
import json
import os
import sys
from collections import deque


class Refused(Exception):
    """The error of a call that a switch or p4loom's shell refuses."""


class Packet:
    def __init__(self, payload, metadata):
        self.payload = payload
        self.metadata = metadata


class Digest:
    """A list of records, each of them a list of numbers."""

    def __init__(self, name, records):
        self.name = name
        self.records = records


class Switch:
    def __init__(self, name, connection):
        self.name = name
        self._connection = connection
        self._listeners = {"packetIn": [], "digest": []}

    def run(self, line):
        """Runs a statement of p4loom's shell. Returns its output as lines."""
        return self._connection.ask(self.name, "run", str(line))

    def packet_out(self, payload, metadata):
        """Sends a packet: bytes, and numbers by the names of their fields."""
        numbers = {name: {"$number": str(int(value))} for name, value in metadata.items()}
        packet = {"payload": {"$bytes": bytes(payload).hex()}, "metadata": numbers}
        self._connection.ask(self.name, "packetOut", packet)

    def on_packet_in(self, listener):
        self._listeners["packetIn"].append(listener)

    def on_digest(self, listener):
        self._listeners["digest"].append(listener)

    def _take(self, event):
        if event["kind"] == "packetIn":
            about = Packet(event["packet"]["payload"], event["packet"]["metadata"])
        else:
            about = Digest(event["list"]["digest"], event["list"]["data"])
        for listener in self._listeners[event["kind"]]:
            listener(about)


def _decoded(value):
    if "$number" in value:
        return int(value["$number"])
    return bytes.fromhex(value["$bytes"]) if "$bytes" in value else value


class _Connection:
    def __init__(self):
        self._input = sys.stdin
        self._output = os.fdopen(3, "w")
        self._waiting = deque()
        self._handled = 0
        self._next = 0
        self._switches = {}

    def _read(self):
        line = self._input.readline()
        if line == "":
            sys.exit(0)
        return json.loads(line, object_hook=_decoded)

    def send(self, message):
        self._output.write(json.dumps(message) + "\n")
        self._output.flush()

    def ask(self, name, method, argument):
        number = self._next
        self._next += 1
        self.send({"kind": "request", "id": number, "switch": name, "method": method, "argument": argument})
        while True:
            message = self._read()
            if message["kind"] != "answer":
                self._waiting.append(message)
                continue
            self._handled += 1
            if "error" in message:
                raise Refused(message["error"])
            return message.get("value")

    def serve(self):
        while True:
            message = self._waiting.popleft() if self._waiting else self._read()
            try:
                self._take(message)
            except Exception as error:
                self.send({"kind": "failed", "message": f"{type(error).__name__}: {error}{_place(error)}"})
            self._handled += 1
            if not self._waiting:
                self.send({"kind": "idle", "handled": self._handled})

    def _take(self, message):
        if message["kind"] == "event":
            self._switches[message["switch"]]._take(message["event"])
            return
        self._switches = {name: Switch(name, self) for name in message["switches"]}
        module = {"__name__": "controller", "Refused": Refused}
        exec(compile(message["module"], "controller.py", "exec"), module)
        start = module.get("start")
        if not callable(start):
            raise TypeError("the module has no function `start`")
        start(self._switches, lambda text: self.send({"kind": "log", "text": str(text)}))


def _place(error):
    """The last line of the module in the traceback of the error."""
    if isinstance(error, SyntaxError):
        return ""
    lines = []
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "controller.py":
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return f" (line {lines[-1]})" if lines else ""


_Connection().serve()
