#include <core.p4>

parser P(packet_in packet, in bit<8> a) {
    state start {
        transition select(a) {
            (1, 2): accept; // <- here
            default: reject;
        }
    }
}
