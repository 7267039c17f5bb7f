#include <tna.p4>

control C(inout bit<8> x, in MeterColor_t color) {
    Meter<bit<8>>(16, MeterType_t.BYTES) meter;
    apply { x = meter.execute(x, color); } // <- here
}
