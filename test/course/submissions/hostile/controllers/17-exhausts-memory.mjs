// Allocates memory until none is left.
export async function start() {
  const taken = [];
  for (;;) taken.push(Buffer.alloc(10_000_000, 1), new Array(1_000_000).fill({}));
}
