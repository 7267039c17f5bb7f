#include <core.p4>

header H { varbit<32> a; }

parser P(packet_in packet, out H h) {
    state start {
        packet.extract(h); // <- here
        transition accept;
    }
}
