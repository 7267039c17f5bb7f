/** Turns the issues that zod finds into sentences: the key, the value found, what would be right. */
import { z } from "zod";
import { defined, didYouMean } from "../../base/index.js";
import { CODES } from "./codes.js";

export interface DescribedIssue {
  code: (typeof CODES)[keyof typeof CODES];
  path: readonly PropertyKey[];
  /** Whether the key itself is wrong, and not its value. */
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
      const where = path.length === 0 ? "" : ` in ${formatPath(path)}`;
      return {
        code: CODES.unknownKey,
        path: [...path, key],
        atKey: true,
        message: `unknown key "${key}"${where}${didYouMean(key, allowed, '"')}`,
        notes: allowed.length === 0 ? [] : [`keys here: ${allowed.join(", ")}`],
      };
    });
  }
  if (issue.code === "invalid_key") {
    const { message } = defined(issue.issues[0]);
    return [{ code: CODES.wrongValue, path, atKey: true, message: `the key ${name}: ${message}`, notes: [] }];
  }
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    // A map of keys was meant for the only branch that is one.
    const maps = issue.errors.filter((branch) => branch.some(({ code }) => code === "unrecognized_keys"));
    if (maps.length === 1)
      return defined(maps[0]).flatMap((one) => describe(one, [...path, ...one.path], schema, input));
    // The branch of the union whose error is deepest in the document is most likely the intended one.
    const depth = (branch: readonly Issue[]) => Math.max(...branch.map((one) => one.path.length));
    const deepest = Math.max(...issue.errors.map(depth));
    if (deepest > 0) {
      const branch = defined(issue.errors.find((one) => depth(one) === deepest));
      return branch.flatMap((one) => describe(one, [...path, ...one.path], schema, input));
    }
  }
  const expected = expectation(issue, schema, path, input);
  if (found === undefined) {
    const key = String(path[path.length - 1] ?? "");
    const where = path.length <= 1 ? "" : ` in ${formatPath(path.slice(0, -1))}`;
    const message =
      path.length === 0 ? `the file is empty: ${expected}` : `missing key "${key}"${where}: ${expected}`;
    return [{ code: CODES.missingKey, path: path.slice(0, -1), atKey: true, message, notes: [] }];
  }
  const value = formatValue(found);
  // A word of two letters is too short for a mistake to be recognised.
  const isWord = typeof found === "string" && found.length > 2;
  const hint = isWord ? didYouMean(found, wordsOf(issue, schema, path, input), '"') : "";
  const message = `${name}: ${expected}${expected.includes("got ") ? "" : `, got ${value}`}${hint}`;
  return [{ code: CODES.wrongValue, path, atKey: false, message, notes: [] }];
}

/** The words that a value may be, where it may be one of several. */
function wordsOf(issue: Issue, schema: z.ZodType, path: readonly PropertyKey[], input: unknown): string[] {
  if (issue.code === "invalid_value") return issue.values.map(String);
  if (issue.code !== "invalid_union") return [];
  const nested = issue.errors
    .flat()
    .flatMap((one) => (one.path.length === 0 ? wordsOf(one, schema, path, input) : []));
  return [...discriminators(schema, path, input), ...nested];
}

/** What would be right, as a text that starts with `expected`. */
function expectation(issue: Issue, schema: z.ZodType, path: readonly PropertyKey[], input: unknown): string {
  // A message that the schema states is more precise than its type.
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
      return `expected ${measure(issue.origin)}${issue.inclusive ? "at least" : "more than"} ${issue.minimum}${elements(issue.origin, issue.minimum)}`;
    case "too_big":
      return `expected ${measure(issue.origin)}${issue.inclusive ? "at most" : "less than"} ${issue.maximum}${elements(issue.origin, issue.maximum)}`;
    case "not_multiple_of":
      return `expected a multiple of ${issue.divisor}`;
    default:
      return issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  int: "whole number",
  array: "list",
  tuple: "list",
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

function elements(origin: string, count: number | bigint): string {
  const noun = origin === "array" ? " element" : origin === "string" ? " character" : "";
  return noun === "" || Number(count) === 1 ? noun : `${noun}s`;
}

function oneOf(values: readonly string[]): string {
  return values.length === 1 ? defined(values[0]) : `one of ${values.join(", ")}`;
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
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "a map of keys";
  // JSON has no infinite numbers.
  const text = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length <= VALUE_WIDTH ? text : `${text.slice(0, VALUE_WIDTH)}...`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const step of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  // An empty value in YAML is null, and counts as missing.
  return value ?? undefined;
}

/** The schema without the wrappers that do not change the allowed keys. */
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

/** The object schemas that are possible at a path, given the values in the file. */
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

/** The allowed values of a union's discriminating key, if `path` leads to that key. */
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
  // A union may be a choice of another one: a name, or a map of keys whose shape depends on its name.
  if (path.length === 0)
    return at instanceof z.ZodUnion
      ? [at, ...at.options.flatMap((option) => unionsAt(option, [], value))]
      : [];
  if (at instanceof z.ZodUnion) return at.options.flatMap((option) => unionsAt(option, path, value));
  const [step, ...rest] = path;
  const inner = valueAt(value, [step!]);
  if (at instanceof z.ZodObject) return unionsAt(at.shape[String(step)], rest, inner);
  if (at instanceof z.ZodArray) return unionsAt(at.element, rest, inner);
  return [];
}
