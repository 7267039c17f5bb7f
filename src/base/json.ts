/** Values that JSON can represent: messages between processes. */

/** A value that does not change when it is written as JSON and read again. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };

/** The path of the first value in `value` that JSON cannot represent, with its kind; undefined where there is none. */
export function notJson(
  value: unknown,
  path = "",
): { readonly path: string; readonly what: string } | undefined {
  const found = (what: string) => ({ path, what });
  switch (typeof value) {
    case "boolean":
    case "string":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : found(String(value));
    case "object": {
      if (value === null) return undefined;
      if (Array.isArray(value)) return inMembers(Object.entries(value), path);
      const made: unknown = Object.getPrototypeOf(value);
      if (made !== null && made !== Object.prototype)
        return found(
          `an object of class ${(value.constructor as { name?: string } | undefined)?.name ?? "?"}`,
        );
      return inMembers(Object.entries(value), path);
    }
    default:
      return found(value === undefined ? "undefined" : `a ${typeof value}`);
  }
}

function inMembers(members: readonly (readonly [string, unknown])[], path: string) {
  for (const [name, member] of members) {
    const found = notJson(member, path === "" ? name : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
