#include <core.p4>

parser P(packet_in packet, in bit<8> x) {
    state start {
        transition select(x) {
            x &&& 5: accept; // <- here
            default: reject;
        }
    }
}
