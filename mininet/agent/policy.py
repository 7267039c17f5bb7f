"""
Host policies, made from the plain `description` of a HostPolicy in src/schemes.

A policy has `open(flow, random)`, the chooser of a flow's one end, and `nic(flow, selector, nics)`, the number of
the NIC that a packet leaves by. A flow is (src, dst, protocol, source port, destination port).
"""

from choosers import UNKNOWN, FixedPath, ProbingPath, RandomPath, ShiftingPath
from flow_hash import flow_hash, mix
from rerouting import Layout, make_rerouter


class FixedPolicy:
    def __init__(self, selector):
        self._selector = selector

    def open(self, _flow, _random):
        return FixedPath(self._selector)

    def nic(self, flow, _selector, nics):
        return flow_hash(flow) % nics


class PrrPolicy:
    def __init__(self, values):
        self._values = values

    def open(self, _flow, random):
        return RandomPath(self._values, random)

    def nic(self, flow, selector, nics):
        return mix(flow_hash(flow), selector) % nics


class PecmpPolicy:
    def __init__(self, failover, layout, offsets):
        self._failover = failover
        self._layout = layout
        self._rerouter = make_rerouter(layout, offsets)

    def open(self, _flow, random):
        drawn = self._layout.control == "hops"
        start = self._rerouter.draw(0, random) if drawn else 0
        if self._failover == "none":
            return FixedPath(start)
        if self._failover == "shift":
            return ShiftingPath(self._rerouter, random, start)
        return ProbingPath(self._rerouter, random, start, UNKNOWN if drawn else 0)

    def nic(self, flow, selector, nics):
        return (flow_hash(flow) + self._layout.read("nic", selector)) % nics


def make_policy(description):
    """Raises ValueError where the description is of no known kind or lacks something."""
    try:
        kind = description["kind"]
        if kind == "fixed":
            return FixedPolicy(int(description["selector"]))
        if kind == "prr":
            return PrrPolicy(int(description["values"]))
        if kind == "pecmp":
            if description["failover"] not in ("probe", "shift", "none"):
                raise ValueError("unknown failover %r" % (description["failover"],))
            return PecmpPolicy(description["failover"], Layout(description["layout"]), description["offsets"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("the policy's description is not complete: %s" % error) from error
    raise ValueError("unknown kind of policy %r; known are fixed, prr and pecmp" % (kind,))
