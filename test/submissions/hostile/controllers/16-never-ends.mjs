// Computes for ever.
export async function start() {
  for (;;);
}
