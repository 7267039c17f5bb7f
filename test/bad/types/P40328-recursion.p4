#include <core.p4>

bit<8> f(in bit<8> n) {
    return n == 0 ? 8w1 : f(n - 1); // <- here
}
