#include <core.p4>

parser P(packet_in packet) {
    state start { transition parse_ipv4; } // <- here
    state parse_ip4 { transition accept; }
}
