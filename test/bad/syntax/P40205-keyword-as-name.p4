const bit<8> table = 1;
struct s { bit<8> default; }
