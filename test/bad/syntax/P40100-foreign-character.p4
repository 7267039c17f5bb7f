const bit<8> a = 8w1 $ 2;
