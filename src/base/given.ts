/**
 * The properties whose values are not undefined, in their order: `{ name, ...given({ title, seed }) }` has `title` and `seed` where they are
 * given. Optional properties may be absent, but not undefined (TypeScript's `exactOptionalPropertyTypes`).
 */
export function given<T extends object>(properties: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const found: Partial<T> = {};
  for (const key of Object.keys(properties) as (keyof T)[])
    if (properties[key] !== undefined) found[key] = properties[key];
  return found as { [K in keyof T]?: Exclude<T[K], undefined> };
}
