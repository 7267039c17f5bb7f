#include <core.p4>

header Inner { bit<8> a; }
header Outer {
    Inner inner; // <- here
}
