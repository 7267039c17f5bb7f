"""
What the agent changes in its host, and changes back when it ends.

The host's addresses move from the NICs to the TUN device, which all traffic is routed to. The NICs stay up for the
agent's raw sockets, but the kernel must take nothing from them: it would answer what the agent answers for. It
does not where a NIC has no address, refuses IPv6, answers no ARP and checks strictly that answers would leave by
the same device.
"""

import json
import os
import subprocess

from addresses import address_text

#: What a kernel without the setting of a route waits at the least for an acknowledgement.
KERNEL_RTO_MIN_MS = 200


def _ip(*arguments, **options):
    return subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False, **options)


def _run_ip(*arguments):
    done = _ip(*arguments)
    if done.returncode != 0:
        raise OSError("ip %s: %s" % (" ".join(arguments), done.stderr.strip() or "failed"))
    return done.stdout


class HostSetup:
    def __init__(self):
        #: Told in the `ready` event: {name, wanted, effective}, effective None where the kernel refused.
        self.settings = []
        self._undo = []

    def write(self, name, value):
        """Writes a setting of /proc/sys, remembers the old value, and reports what the kernel has then."""
        path = "/proc/sys/" + name
        effective = None
        try:
            with open(path) as file:
                old = file.read().strip()
            effective = old
            if old != str(value):
                self._undo.append(lambda: self._write_back(path, old))
                with open(path, "w") as file:
                    file.write(str(value))
                with open(path) as file:
                    effective = file.read().strip()
        except OSError:
            # Not in this kernel, or not allowed: what was read stands.
            pass
        self.settings.append({"name": name.replace("/", "."), "wanted": str(value), "effective": effective})
        return effective == str(value)

    @staticmethod
    def _write_back(path, value):
        with open(path, "w") as file:
            file.write(value)

    def take_nic(self, name):
        """Frees a NIC of addresses and routes."""
        devices = json.loads(_run_ip("-j", "address", "show", "dev", name))
        addresses = [
            "%s/%d" % (entry["local"], entry["prefixlen"])
            for entry in devices[0].get("addr_info", [])
            if entry.get("scope") == "global"
        ]
        routes = [
            (version, line)
            for version in ("-4", "-6")
            for line in _ip(version, "route", "show", "dev", name).stdout.splitlines()
            if "proto kernel" not in line
        ]
        neighbours = [
            line.split()
            for version in ("-4", "-6")
            for line in _ip(version, "neighbour", "show", "dev", name, "nud", "permanent").stdout.splitlines()
        ]

        def restore():
            for address in addresses:
                _ip("address", "replace", address, "dev", name, *(["nodad"] if ":" in address else []))
            for words in neighbours:
                address = words[words.index("lladdr") + 1]
                _ip("neighbour", "replace", words[0], "lladdr", address, "nud", "permanent", "dev", name)
            for version, line in routes:
                _ip(version, "route", "replace", *line.split(), "dev", name)

        self._undo.append(restore)
        _run_ip("link", "set", name, "up")
        for version, _line in routes:
            _ip(version, "route", "flush", "dev", name)
        _run_ip("address", "flush", "dev", name)
        conf = "net/%s/conf/" + name + "/"
        for setting, value in (("ipv4", "rp_filter"), 1), (("ipv4", "arp_ignore"), 8), (("ipv6", "disable_ipv6"), 1):
            path = conf % setting[0] + setting[1]
            if os.path.exists("/proc/sys/" + path) and not self.write(path, value):
                raise OSError("%s cannot be set: the kernel would answer beside the agent" % path)

    def address_tun(self, config):
        """Gives the TUN device the host's addresses and the routes to everything."""
        tun, lines = config.tun, ["link set %s mtu %d up" % (config.tun, config.mtu)]
        # An experiment's flow with one segment under way cannot wait for delayed acknowledgements.
        metrics = "quickack 1"
        if config.rto_min_ms is not None:
            metrics += " rto_min %dms" % config.rto_min_ms
        ipv6 = "net/ipv6/conf/%s/" % tun
        if os.path.exists("/proc/sys/" + ipv6):
            # No address of the link and no solicitations: there is nobody on the TUN device to hear them.
            self._quietly(ipv6 + "addr_gen_mode", 1)
            self._quietly(ipv6 + "accept_ra", 0)
            self._quietly(ipv6 + "disable_ipv6", 0 if config.ipv6 is not None else 1)
        if config.ipv4 is not None:
            lines.append("address add %s/32 dev %s" % (address_text(config.ipv4), tun))
            lines.append("route add default dev %s %s" % (tun, metrics))
        if config.ipv6 is not None:
            lines.append("address add %s/128 dev %s nodad" % (address_text(config.ipv6), tun))
            lines.append("-6 route add default dev %s %s" % (tun, metrics))
        for line in lines:
            _run_ip(*line.split())
        if config.rto_min_ms is not None:
            version = "-4" if config.ipv4 is not None else "-6"
            shown = _run_ip(version, "route", "show", "default", "dev", tun).split()
            # Some versions of iproute2 write `rto_min lock 5ms`.
            words = shown[shown.index("rto_min") + 1 :] if "rto_min" in shown else []
            effective = next((word for word in words if word != "lock"), None)
            self.settings.append(
                {"name": "route.rto_min", "wanted": "%dms" % config.rto_min_ms, "effective": effective}
            )

    @staticmethod
    def _quietly(name, value):
        """For a device that vanishes with the agent there is nothing to undo."""
        try:
            with open("/proc/sys/" + name, "w") as file:
                file.write(str(value))
        except OSError:
            pass

    def tune_tcp(self, config):
        """
        Makes a timeout mean one thing: no probe of the last segment (TLP), no second thoughts (F-RTO), no
        estimates from earlier connections. See docs/host-agent.md.
        """
        self.write("net/ipv4/tcp_early_retrans", 0)
        self.write("net/ipv4/tcp_frto", 0)
        self.write("net/ipv4/tcp_no_metrics_save", 1)
        if os.path.exists("/proc/sys/net/ipv6/auto_flowlabels"):
            self.write("net/ipv6/auto_flowlabels", 0)
        if config.rto_cap_ms is not None and self.write("net/ipv4/tcp_rto_max_ms", config.rto_cap_ms):
            # With short timeouts the usual 15 are over within seconds, and the connection with them.
            self.write("net/ipv4/tcp_retries2", 255)

    def undo(self):
        """Takes everything back, the last change first; returns what did not work."""
        problems = []
        while self._undo:
            try:
                self._undo.pop()()
            except OSError as error:
                problems.append(str(error))
        return problems
