#include <core.p4>

extern Cells<T, I> {
    Cells(bit<32> size);
    T read(in I index);
}

control C(inout bit<8> x) {
    Cells<bit<8>, _>(16) cells;
    apply { x = cells.read(3); } // <- here
}
