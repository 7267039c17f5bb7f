/**
 * A value that is there by construction: an element at an index within its list, the entry of a key that was put into a map. Where it is
 * missing, the mistake is ours: an internal error, at the place where it happened.
 */
export function defined<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("a value is missing that has to be there");
  return value;
}
