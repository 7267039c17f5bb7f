/** The first of the wanted languages that is offered: `de-AT` finds `de-AT`, then `de`. */
export function firstOffered<T extends { readonly code: string }>(
  offered: readonly T[],
  wanted: readonly (string | null)[],
): T | undefined {
  for (const tag of wanted) {
    const code = tag?.toLowerCase() ?? "";
    const base = code.split("-")[0];
    const found =
      offered.find((one) => one.code.toLowerCase() === code) ??
      offered.find((one) => one.code.toLowerCase() === base);
    if (found !== undefined) return found;
  }
  return undefined;
}
