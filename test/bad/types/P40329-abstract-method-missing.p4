#include <core.p4>

extern Balancer {
    Balancer();
    abstract bit<4> pick(in bit<32> address);
}
Balancer() b = { }; // <- here
