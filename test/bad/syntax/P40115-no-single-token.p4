#define FIELD(x) h.##x
struct s { bit<8> a; }
control c(inout s h) { apply { FIELD(a) = 1; } }
