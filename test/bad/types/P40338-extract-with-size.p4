#include <core.p4>

header H { bit<8> a; }

parser P(packet_in packet, out H h) {
    state start {
        packet.extract(h, 8); // <- here
        transition accept;
    }
}
