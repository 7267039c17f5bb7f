#include <core.p4>

bit<8> least(in bit<8> a, in bit<8> b) { // <- here
    if (a < b) { return a; }
}
