#include <core.p4>

struct H { bit<8> a; }

parser P(packet_in packet, out H h) {
    state start {
        packet.extract(h); // <- here
        transition accept;
    }
}
