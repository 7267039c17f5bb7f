"""
The program on a host of a testbed: `python3 mininet/agent`, JSON lines on stdin and stdout (docs/host-agent.md).

Read `data_path.py` (packets between the kernel and the wire), `tcp_flow.py` (what is told of TCP that passes by),
`choosers.py` (which selectors follow from it), `transfers.py` and `probes.py` (what the host sends itself),
`host_setup.py` (what it changes in its host).
"""

import json
import os
import resource
import signal
import sys

sys.dont_write_bytecode = True

from checks import member, whole  # noqa: E402
from config import Config  # noqa: E402
from data_path import DataPath  # noqa: E402
from host_setup import KERNEL_RTO_MIN_MS, HostSetup  # noqa: E402
from loop import READ, Loop  # noqa: E402
from messages import Events, Requests  # noqa: E402
from nic import Nic  # noqa: E402
from prng import Random  # noqa: E402
from probes import ProbeRequest, Probes  # noqa: E402
from segment import ECHO_LENGTH  # noqa: E402
from sinks import Sinks  # noqa: E402
from transfers import TransferRequest, Transfers  # noqa: E402
from tun import open_tun  # noqa: E402


class Agent:
    def __init__(self):
        self.loop = Loop()
        self.events = Events(self.loop, 1)
        self.setup = HostSetup()
        self.config = None
        self.failed = False
        # Each flow under way has a socket.
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        Requests(self.loop, 0, self.request, self.loop.stop)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda _number, _frame: self.loop.stop())
        # A blocked wait returns only for a signal that raises or that a descriptor tells of.
        wake, told = os.pipe()
        os.set_blocking(wake, False)
        os.set_blocking(told, False)
        signal.set_wakeup_fd(told, warn_on_full_buffer=False)
        self.loop.watch(wake, READ, lambda _events: os.read(wake, 64))

    def request(self, line):
        """One line of stdin. What is wrong with it is told in an `error` event; the agent goes on."""
        number = None
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                raise ValueError("expected an object, got %.80r" % (request,))
            number = request.get("id")
            self.handle(request)
        except (ValueError, OSError, RecursionError) as error:
            text = str(error)
            if isinstance(error, OSError) and error.strerror:
                text = error.strerror
            self.events.send("error", id=number, text=text)
            if self.config is None:
                self.failed = True
                self.loop.stop()

    def handle(self, request):
        operation = member(request, "op", str, "the name of an operation")
        if self.config is None:
            if operation != "start":
                raise ValueError("op: the first request must be start, got %r" % operation)
            self.start(request)
        elif operation == "listen":
            port = whole(request, "port", 1, 65535)
            for own in self.config.addresses:
                self.sinks.listen(own, port)
            self.events.send("listening", id=request.get("id"), port=port)
        elif operation == "flow":
            self.transfers.add(TransferRequest(request, self.config))
        elif operation == "stop-flow":
            self.transfers.stop(whole(request, "id", 0, 2**53))
        elif operation == "probe":
            self.probes.add(ProbeRequest(request, self.config))
        elif operation == "statistics":
            self.events.send("statistics", id=request.get("id"), **self.data_path.statistics())
        elif operation == "stop":
            self.loop.stop()
        else:
            raise ValueError(
                "op: expected listen, flow, stop-flow, probe, statistics or stop, got %.40r" % operation
            )

    def start(self, request):
        config = Config(request)
        nics = []
        for nic in config.nics:
            self.setup.take_nic(nic.name)
            nics.append(Nic(nic.name, nic.mac, nic.gateway))
            if nics[-1].mtu() < config.mtu + ECHO_LENGTH:
                raise ValueError(
                    "mtu: packets of %d bytes and the echo's %d do not fit the MTU of %s, %d"
                    % (config.mtu, ECHO_LENGTH, nic.name, nics[-1].mtu())
                )
        tun = open_tun(config.tun)
        self.setup.tune_tcp(config)
        self.setup.address_tun(config)
        # The kernel's timers count in ticks and may be one tick early.
        quiet = (config.rto_min_ms or KERNEL_RTO_MIN_MS) * 1_000_000 // 2
        self.data_path = DataPath(
            tun, nics, config.addresses, config.field, config.policy, Random(config.seed), quiet, self.timed_out
        )
        self.transfers = Transfers(self.loop, self.data_path, self.events)
        self.sinks = Sinks(self.loop)
        self.probes = Probes(self.loop, self.data_path, self.events, config.addresses)
        self.data_path.probes = self.probes
        self.loop.watch(tun, READ, lambda _events: self.data_path.read_tun())
        for nic in nics:
            self.loop.watch(nic.fileno(), READ, lambda _events, nic=nic: self.data_path.read_nic(nic))
        self.config = config
        self.events.send("ready", tun=config.tun, settings=self.setup.settings)

    def timed_out(self, flow, selectors):
        if flow.watcher is not None:
            flow.watcher.timed_out(flow, selectors)

    def run(self):
        try:
            self.loop.run()
            if self.config is not None:
                self.transfers.stop_all()
                self.sinks.close()
        finally:
            problems = self.setup.undo()
        for problem in problems:
            self.events.send("error", id=None, text="not restored: %s" % problem)
        if self.config is not None:
            self.events.send("stopped", **self.data_path.statistics())
        self.events.flush()
        return 1 if self.failed else 0


if __name__ == "__main__":
    try:
        status = Agent().run()
    except BrokenPipeError:
        # Nobody is left to tell.
        status = 1
    sys.exit(status)
