// Computes endlessly.
export async function start() {
  for (;;);
}
