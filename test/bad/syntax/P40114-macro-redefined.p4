#define SIZE 10
#define SIZE 20
const bit<8> a = SIZE;
