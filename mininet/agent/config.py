"""What the agent is told at its start; docs/host-agent.md lists the members."""

from checks import address, mac, member, optional, text, whole
from policy import make_policy
from selector_field import FIELD_BITS

#: Longest name of a Linux network device.
NAME_LENGTH = 15


class NicConfig:
    def __init__(self, request):
        self.name = text(request, "name")
        self.mac = mac(request, "mac")
        self.gateway = mac(request, "gateway")


class Config:
    def __init__(self, request):
        """Raises ValueError with the member's name."""
        self.ipv4 = optional(request, "ipv4", address)
        self.ipv6 = optional(request, "ipv6", address)
        if self.ipv4 is None and self.ipv6 is None:
            raise ValueError("ipv4: the host needs an IPv4 or an IPv6 address")
        if self.ipv4 is not None and len(self.ipv4) != 4:
            raise ValueError("ipv4: expected an IPv4 address, got %r" % request["ipv4"])
        if self.ipv6 is not None and len(self.ipv6) != 16:
            raise ValueError("ipv6: expected an IPv6 address, got %r" % request["ipv6"])
        self.tun = text(request, "tun")
        if not 1 <= len(self.tun) <= NAME_LENGTH:
            raise ValueError("tun: expected a name of 1 to %d characters, got %r" % (NAME_LENGTH, self.tun))
        self.mtu = whole(request, "mtu", 1280, 9000, 1400)
        nics = member(request, "nics", list, "a list of NICs")
        if not 1 <= len(nics) <= 16:
            raise ValueError("nics: expected 1 to 16 NICs, got %d" % len(nics))
        self.nics = []
        for number, nic in enumerate(nics):
            try:
                if not isinstance(nic, dict):
                    raise ValueError("expected name, mac and gateway, got %r" % (nic,))
                self.nics.append(NicConfig(nic))
            except ValueError as error:
                raise ValueError("nics[%d]: %s" % (number, error)) from error
        self.field = text(request, "field")
        if self.field not in FIELD_BITS:
            raise ValueError("field: expected one of %s, got %r" % (", ".join(FIELD_BITS), self.field))
        self.policy = make_policy(member(request, "policy", dict, "the description of a policy"))
        self.seed = whole(request, "seed", 0, 2**32 - 1)
        self.rto_min_ms = optional(request, "rtoMinMs", whole, 1, 120_000)
        self.rto_cap_ms = optional(request, "rtoCapMs", whole, 1, 120_000)

    @property
    def addresses(self):
        return [address for address in (self.ipv4, self.ipv6) if address is not None]
