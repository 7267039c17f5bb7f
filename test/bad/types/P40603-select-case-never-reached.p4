#include <core.p4>

parser P(packet_in packet, in bit<8> a) {
    state start {
        transition select(a) {
            default: accept;
            5: reject; // <- here
        }
    }
}
