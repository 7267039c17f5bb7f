"""
TCP segments between the kernel and the wire, as src/sim/packet/frames.ts has them there.

On the wire a segment carries its selector in the headers (where, `Mark` says) and behind the twenty bytes of its TCP
header an option for experiments (RFC 6994): kind 253, length 8, id 0x5034, then the echo in 32 bits. The kernel
sees neither. Both ways a segment is edited in the buffer that it was read into: the headers move by the eight
bytes of the option, the payload stays where it is, and checksums are corrected by what changed, so that a
damaged segment stays damaged.
"""

from struct import Struct

from checksum import fold, sum_words, transport_checksum

ECHO_LENGTH = 8
ECHO_KIND_AND_LENGTH = 0xFD08
ECHO_EXPERIMENT = 0x5034
ECHO_SUM = ECHO_KIND_AND_LENGTH + ECHO_EXPERIMENT
#: The option in units of the TCP data offset, where that offset stands.
OFFSET_STEP = 0x2000

PROTOCOL_TCP = 6
FIN, SYN, RST, PSH, ACK = 0x01, 0x02, 0x04, 0x08, 0x10

ETHERTYPE_IPV4 = b"\x08\x00"
ETHERTYPE_IPV6 = b"\x86\xdd"
ETHERTYPE_VLAN = b"\x81\x00"


class Mark:
    """What a selector means for the bytes of a flow's packets: their Ethernet header and fields of IP."""

    __slots__ = ("send", "ethernet", "traffic_class", "flow_label")

    def __init__(self, nic, dscp, vlan, flow_label, ethertype):
        self.send = nic.send
        tag = b"" if vlan is None else ETHERTYPE_VLAN + vlan.to_bytes(2, "big")
        self.ethernet = nic.gateway + nic.mac + tag + ethertype
        self.traffic_class = dscp << 2
        self.flow_label = flow_label


class Ipv4:
    """Header without options, then TCP. `HEADERS` unpacks to FIELDS in this order."""

    ethertype = ETHERTYPE_IPV4
    address_length = 4
    length = 20
    #: version and IHL, TOS, length, id, fragment, TTL, protocol, checksum, [addresses, ports], seq, ack,
    #: offset and flags, window, checksum, urgent pointer
    HEADERS = Struct("!BBHHHBBH12sIIHHHH")
    WITH_ECHO = Struct("!BBHHHBBH12sIIHHHHHHI")

    @staticmethod
    def is_tcp(buffer, at, size):
        """A whole TCP segment, no fragment of one, in an IP packet without options."""
        return (
            size >= 40
            and buffer[at] == 0x45
            and buffer[at + 9] == PROTOCOL_TCP
            and not buffer[at + 6] & 0x3F
            and not buffer[at + 7]
        )

    @staticmethod
    def size(fields):
        return fields[2]

    @classmethod
    def write_marked(cls, buffer, at, fields, mark, echo):
        """Writes the segment whose headers were read at `at` with mark and echo; returns where the frame starts."""
        (first, tos, size, ident, fragment, ttl, protocol, ip_sum, key, seq, ack, offset, window, tcp_sum, urgent) = fields
        marked = mark.traffic_class | (tos & 3)
        total = (~ip_sum & 0xFFFF) + (~tos & 0xFFFF) + marked + ECHO_LENGTH
        total = (total & 0xFFFF) + (total >> 16)
        ip_sum = ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF
        total = (~tcp_sum & 0xFFFF) + ECHO_LENGTH + OFFSET_STEP + ECHO_SUM + (echo >> 16) + (echo & 0xFFFF)
        total = (total & 0xFFFF) + (total >> 16)
        tcp_sum = ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF
        at -= ECHO_LENGTH
        cls.WITH_ECHO.pack_into(
            buffer, at,
            first, marked, size + ECHO_LENGTH, ident, fragment, ttl, protocol, ip_sum, key, seq, ack,
            offset + OFFSET_STEP, window, tcp_sum, urgent, ECHO_KIND_AND_LENGTH, ECHO_EXPERIMENT, echo,
        )  # fmt: skip
        ethernet = mark.ethernet
        start = at - len(ethernet)
        buffer[start:at] = ethernet
        return start

    @classmethod
    def write_stripped(cls, buffer, at, fields):
        """Takes the echo out of the segment whose headers and echo were read at `at`; returns where it starts then."""
        (first, tos, size, ident, fragment, ttl, protocol, ip_sum, key, seq, ack, offset, window, tcp_sum, urgent,
         _kind, _experiment, echo) = fields  # fmt: skip
        total = (~ip_sum & 0xFFFF) + (0xFFFF - ECHO_LENGTH)
        ip_sum = ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF
        removed = ECHO_LENGTH + OFFSET_STEP + ECHO_SUM + (echo >> 16) + (echo & 0xFFFF)
        removed = (removed & 0xFFFF) + (removed >> 16)
        total = (~tcp_sum & 0xFFFF) + (0xFFFF - ((removed & 0xFFFF) + (removed >> 16)))
        tcp_sum = ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF
        at += ECHO_LENGTH
        cls.HEADERS.pack_into(
            buffer, at,
            first, tos, size - ECHO_LENGTH, ident, fragment, ttl, protocol, ip_sum, key, seq, ack,
            offset - OFFSET_STEP, window, tcp_sum, urgent,
        )  # fmt: skip
        return at

    @staticmethod
    def mark_only(buffer, at, mark):
        """Marks a packet that takes no echo; returns where the frame starts."""
        buffer[at + 1] = mark.traffic_class | (buffer[at + 1] & 3)
        buffer[at + 10 : at + 12] = b"\0\0"
        buffer[at + 10 : at + 12] = (~fold(sum_words(buffer[at : at + 20])) & 0xFFFF).to_bytes(2, "big")
        ethernet = mark.ethernet
        start = at - len(ethernet)
        buffer[start:at] = ethernet
        return start

    @staticmethod
    def with_segment(packet, segment):
        """The packet with another TCP segment in it, its checksums anew."""
        header = bytearray(packet[:20])
        header[2:4] = (20 + len(segment)).to_bytes(2, "big")
        header[10:12] = b"\0\0"
        header[10:12] = (~fold(sum_words(header)) & 0xFFFF).to_bytes(2, "big")
        return bytes(header) + _with_checksum(header[12:20], segment)


class Ipv6:
    """Header without extensions, then TCP."""

    ethertype = ETHERTYPE_IPV6
    address_length = 16
    length = 40
    #: version, traffic class and flow label, length, next header, hop limit, [addresses, ports], then as in Ipv4
    HEADERS = Struct("!IHBB36sIIHHHH")
    WITH_ECHO = Struct("!IHBB36sIIHHHHHHI")

    @staticmethod
    def is_tcp(buffer, at, size):
        return size >= 60 and buffer[at] >> 4 == 6 and buffer[at + 6] == PROTOCOL_TCP

    @staticmethod
    def size(fields):
        return 40 + fields[1]

    @classmethod
    def write_marked(cls, buffer, at, fields, mark, echo):
        first, size, protocol, hops, key, seq, ack, offset, window, tcp_sum, urgent = fields
        first = 0x60000000 | (mark.traffic_class << 20) | (first & 0x300000) | mark.flow_label
        total = (~tcp_sum & 0xFFFF) + ECHO_LENGTH + OFFSET_STEP + ECHO_SUM + (echo >> 16) + (echo & 0xFFFF)
        total = (total & 0xFFFF) + (total >> 16)
        tcp_sum = ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF
        at -= ECHO_LENGTH
        cls.WITH_ECHO.pack_into(
            buffer, at,
            first, size + ECHO_LENGTH, protocol, hops, key, seq, ack, offset + OFFSET_STEP, window, tcp_sum, urgent,
            ECHO_KIND_AND_LENGTH, ECHO_EXPERIMENT, echo,
        )  # fmt: skip
        ethernet = mark.ethernet
        start = at - len(ethernet)
        buffer[start:at] = ethernet
        return start

    @classmethod
    def write_stripped(cls, buffer, at, fields):
        (first, size, protocol, hops, key, seq, ack, offset, window, tcp_sum, urgent, _kind, _experiment, echo) = fields
        removed = ECHO_LENGTH + OFFSET_STEP + ECHO_SUM + (echo >> 16) + (echo & 0xFFFF)
        removed = (removed & 0xFFFF) + (removed >> 16)
        total = (~tcp_sum & 0xFFFF) + (0xFFFF - ((removed & 0xFFFF) + (removed >> 16)))
        tcp_sum = ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF
        at += ECHO_LENGTH
        cls.HEADERS.pack_into(
            buffer, at,
            first, size - ECHO_LENGTH, protocol, hops, key, seq, ack, offset - OFFSET_STEP, window, tcp_sum, urgent,
        )  # fmt: skip
        return at

    @staticmethod
    def mark_only(buffer, at, mark):
        first = 0x60000000 | (mark.traffic_class << 20) | (buffer[at + 1] & 0x30) << 16 | mark.flow_label
        buffer[at : at + 4] = first.to_bytes(4, "big")
        ethernet = mark.ethernet
        start = at - len(ethernet)
        buffer[start:at] = ethernet
        return start

    @staticmethod
    def with_segment(packet, segment):
        header = bytearray(packet[:40])
        header[4:6] = len(segment).to_bytes(2, "big")
        return bytes(header) + _with_checksum(header[8:40], segment)


def _with_checksum(addresses, segment):
    segment = bytearray(segment)
    segment[16:18] = b"\0\0"
    segment[16:18] = transport_checksum(addresses, PROTOCOL_TCP, segment).to_bytes(2, "big")
    return bytes(segment)


OPTION_END, OPTION_NOP, OPTION_SACK = 0, 1, 5


def make_room(family, packet):
    """
    The packet with room for the echo: its last SACK block gives way. A receiver may report fewer blocks
    than it has (RFC 2018, section 3). None where there is no SACK option to shorten.
    """
    segment = packet[family.length :]
    header = (segment[12] >> 4) * 4
    options = bytearray(segment[20:header])
    at = 0
    while at < len(options) and options[at] != OPTION_END:
        if options[at] == OPTION_NOP:
            at += 1
            continue
        length = options[at + 1] if at + 1 < len(options) else 0
        if length < 2 or at + length > len(options):
            return None
        if options[at] == OPTION_SACK and length >= 10:
            del options[at + length - 8 : at + length]
            options[at + 1] = length - 8
            if length == 10:
                # The only block went, and a SACK option needs one.
                options[at : at + 2] = bytes((OPTION_NOP, OPTION_NOP))
            start = bytearray(segment[:20])
            start[12] = (header - 8) // 4 << 4 | (start[12] & 0x0F)
            return family.with_segment(packet, bytes(start) + bytes(options) + segment[header:])
        at += length
    return None


def pure_ack(family, packet):
    """The acknowledgement that a segment with data carries, as a packet of its own; SYN and FIN stay out too."""
    segment = bytearray(packet[family.length :])
    header = (segment[12] >> 4) * 4
    length = len(segment) - header + (1 if segment[13] & SYN else 0) + (1 if segment[13] & FIN else 0)
    sequence = (int.from_bytes(segment[4:8], "big") + length) & 0xFFFFFFFF
    segment[4:8] = sequence.to_bytes(4, "big")
    segment[13] = ACK
    return family.with_segment(packet, bytes(segment[:header]))
