#include <core.p4>

header H { varbit<32> a; }

parser P(packet_in packet, out H h) {
    state start {
        h = packet.lookahead<H>(); // <- here
        transition accept;
    }
}
