/** Turns what zod finds wrong into sentences: which key, what was found, what would be right. */
import { z } from "zod";

export interface DescribedIssue {
  code: "P43002" | "P43003" | "P43004";
  path: readonly PropertyKey[];
  /** The key itself is wrong, not its value. */
  atKey: boolean;
  message: string;
  notes: string[];
}

type Issue = z.core.$ZodIssue;

export function describeIssues(
  issues: readonly Issue[],
  schema: z.ZodType,
  input: unknown,
): DescribedIssue[] {
  return issues.flatMap((issue) => describe(issue, issue.path, schema, input));
}

function describe(
  issue: Issue,
  path: readonly PropertyKey[],
  schema: z.ZodType,
  input: unknown,
): DescribedIssue[] {
  const found = valueAt(input, path);
  const name = path.length === 0 ? "the document" : formatPath(path);
  if (issue.code === "unrecognized_keys") {
    const allowed = keysAt(schema, path, input);
    return issue.keys.map((key) => {
      const close = closest(key, allowed);
      const where = path.length === 0 ? "" : ` in ${formatPath(path)}`;
      return {
        code: "P43002",
        path: [...path, key],
        atKey: true,
        message: `unknown key "${key}"${where}${close === undefined ? "" : `; did you mean "${close}"?`}`,
        notes: allowed.length === 0 ? [] : [`keys here: ${allowed.join(", ")}`],
      };
    });
  }
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    // The branch that got furthest is the one that was meant.
    const depth = (branch: readonly Issue[]) => Math.max(...branch.map((one) => one.path.length));
    const deepest = Math.max(...issue.errors.map(depth));
    if (deepest > 0) {
      const branch = issue.errors.find((one) => depth(one) === deepest)!;
      return branch.flatMap((one) => describe(one, [...path, ...one.path], schema, input));
    }
  }
  const expected = expectation(issue, schema, path, input);
  if (found === undefined) {
    const key = String(path[path.length - 1] ?? "");
    const where = path.length <= 1 ? "" : ` in ${formatPath(path.slice(0, -1))}`;
    const message =
      path.length === 0 ? `the file is empty: ${expected}` : `missing key "${key}"${where}: ${expected}`;
    return [{ code: "P43003", path: path.slice(0, -1), atKey: true, message, notes: [] }];
  }
  const value = formatValue(found);
  const message = expected.includes("got ") ? `${name}: ${expected}` : `${name}: ${expected}, got ${value}`;
  return [{ code: "P43004", path, atKey: false, message, notes: [] }];
}

/** What would be right, as `expected ...`. */
function expectation(issue: Issue, schema: z.ZodType, path: readonly PropertyKey[], input: unknown): string {
  // Messages that a schema states itself say more than its type does.
  if (issue.message.startsWith("expected")) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      return `expected ${article(TYPE_NAMES[issue.expected] ?? issue.expected)}`;
    case "invalid_value":
      return `expected ${oneOf(issue.values.map(String))}`;
    case "invalid_union": {
      const choices = discriminators(schema, path, input);
      if (choices.length > 0) return `expected ${oneOf(choices)}`;
      const parts = issue.errors.flat().map((one) => expectation(one, schema, path, input));
      return [...new Set(parts)].join(" or ").replaceAll(" or expected ", " or ");
    }
    case "too_small":
      return `expected ${measure(issue.origin)}${issue.inclusive ? "at least" : "more than"} ${issue.minimum}${elements(issue.origin)}`;
    case "too_big":
      return `expected ${measure(issue.origin)}${issue.inclusive ? "at most" : "less than"} ${issue.maximum}${elements(issue.origin)}`;
    case "not_multiple_of":
      return `expected a multiple of ${issue.divisor}`;
    default:
      return issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  int: "whole number",
  array: "list",
  object: "map of keys",
  record: "map of keys",
  string: "text",
  boolean: "true or false",
};

function article(noun: string): string {
  if (noun === "true or false" || noun === "text") return noun;
  return `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
}

function measure(origin: string): string {
  return origin === "array" || origin === "string" ? "" : "a number of ";
}

function elements(origin: string): string {
  return origin === "array" ? " elements" : origin === "string" ? " characters" : "";
}

function oneOf(values: readonly string[]): string {
  return values.length === 1 ? values[0]! : `one of ${values.join(", ")}`;
}

/** `topology.pods`, `schemes[1].field`. */
export function formatPath(path: readonly PropertyKey[]): string {
  let text = "";
  for (const step of path)
    text += typeof step === "number" ? `[${step}]` : text === "" ? String(step) : `.${String(step)}`;
  return text;
}

const VALUE_WIDTH = 40;

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a map of keys";
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= VALUE_WIDTH ? text : `${text.slice(0, VALUE_WIDTH)}...`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const step of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  // An empty value of YAML is null: as good as missing.
  return value ?? undefined;
}

/** The schema without wrappers that do not change which keys are allowed. */
function unwrap(schema: unknown): unknown {
  let at = schema;
  for (;;) {
    if (at instanceof z.ZodOptional || at instanceof z.ZodDefault || at instanceof z.ZodNullable)
      at = at.unwrap();
    else if (at instanceof z.ZodPrefault || at instanceof z.ZodReadonly) at = at.unwrap();
    else if (at instanceof z.ZodPipe) at = at.in;
    else if (at instanceof z.ZodLazy) at = at.unwrap();
    else return at;
  }
}

/** The object schemas that can stand at a path, given what stands in the file. */
function objectsAt(schema: unknown, path: readonly PropertyKey[], value: unknown): z.ZodObject[] {
  const at = unwrap(schema);
  if (at instanceof z.ZodUnion) {
    const options = at.options.filter((option) => acceptsDiscriminator(at, option, value));
    return options.flatMap((option) => objectsAt(option, path, value));
  }
  if (path.length === 0) return at instanceof z.ZodObject ? [at] : [];
  const [step, ...rest] = path;
  const inner = valueAt(value, [step!]);
  if (at instanceof z.ZodObject) {
    const member = at.shape[String(step)];
    return member === undefined ? [] : objectsAt(member, rest, inner);
  }
  if (at instanceof z.ZodArray) return objectsAt(at.element, rest, inner);
  if (at instanceof z.ZodRecord) return objectsAt(at.valueType, rest, inner);
  return [];
}

function acceptsDiscriminator(union: z.ZodUnion, option: unknown, value: unknown): boolean {
  if (!(union instanceof z.ZodDiscriminatedUnion)) return true;
  const object = unwrap(option);
  if (!(object instanceof z.ZodObject)) return true;
  const key = union.def.discriminator;
  return (object.shape[key] as z.ZodType).safeParse(valueAt(value, [key])).success;
}

function keysAt(schema: z.ZodType, path: readonly PropertyKey[], input: unknown): string[] {
  return [...new Set(objectsAt(schema, path, input).flatMap((object) => Object.keys(object.shape)))];
}

/** Values that the discriminating key of a union may have, when `path` leads to that key. */
function discriminators(schema: z.ZodType, path: readonly PropertyKey[], input: unknown): string[] {
  const key = path[path.length - 1];
  if (key === undefined) return [];
  const parents = unionsAt(schema, path.slice(0, -1), input);
  return parents.flatMap((union) =>
    union.options.flatMap((option) => {
      const object = unwrap(option);
      const member = object instanceof z.ZodObject ? object.shape[String(key)] : undefined;
      return member instanceof z.ZodLiteral ? [...member.values].map(String) : [];
    }),
  );
}

function unionsAt(schema: unknown, path: readonly PropertyKey[], value: unknown): z.ZodUnion[] {
  const at = unwrap(schema);
  if (path.length === 0) return at instanceof z.ZodUnion ? [at] : [];
  if (at instanceof z.ZodUnion) return at.options.flatMap((option) => unionsAt(option, path, value));
  const [step, ...rest] = path;
  const inner = valueAt(value, [step!]);
  if (at instanceof z.ZodObject) return unionsAt(at.shape[String(step)], rest, inner);
  if (at instanceof z.ZodArray) return unionsAt(at.element, rest, inner);
  return [];
}

/** The candidate that a typing mistake most likely meant. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: string | undefined;
  let least = limit + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/** Fewest insertions, deletions, replacements and swaps of neighbours that make one word the other. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min(replaced, last[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, beforeLast[j - 2]! + 1);
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
