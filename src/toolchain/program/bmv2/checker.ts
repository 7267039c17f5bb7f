/** Checks on untyped JSON that keep the path, so that every error has its place in the file. */
import type { Diagnostics, SourceFile } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { type JsonPath, jsonPlace } from "./json-place.js";

export type JsonObject = Record<string, unknown>;

function show(value: unknown): string {
  if (value === undefined) return "missing";
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 37)}...` : text;
}

export class Checker {
  constructor(
    readonly file: SourceFile,
    readonly diagnostics: Diagnostics,
  ) {}

  complain(code: string, path: JsonPath, message: string, ...notes: string[]): void {
    this.diagnostics.error(code, jsonPlace(this.file, path), message, ...notes);
  }

  #wrong(path: JsonPath, value: unknown, wanted: string): undefined {
    const name = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
    this.complain(
      CODES.bmv2Shape,
      path,
      `\`${name.replace(/^\./, "")}\` is ${show(value)}; it should be ${wanted}`,
    );
    return undefined;
  }

  object(value: unknown, path: JsonPath): JsonObject | undefined {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
    return this.#wrong(path, value, "an object");
  }

  /** A missing list counts as an empty one when `optional`. */
  array(value: unknown, path: JsonPath, optional = false): unknown[] {
    if (Array.isArray(value)) return value;
    if (value !== undefined || !optional) this.#wrong(path, value, "a list");
    return [];
  }

  string(value: unknown, path: JsonPath): string | undefined {
    if (typeof value === "string") return value;
    return this.#wrong(path, value, "a string");
  }

  /** A string or null. */
  name(value: unknown, path: JsonPath): void {
    if (value !== null && typeof value !== "string") this.#wrong(path, value, "a name or null");
  }

  boolean(value: unknown, path: JsonPath): void {
    if (typeof value !== "boolean") this.#wrong(path, value, "true or false");
  }

  integer(value: unknown, path: JsonPath, least: number, most: number): number | undefined {
    if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
    return this.#wrong(path, value, `a whole number from ${least} to ${most}`);
  }

  /** A number in hexadecimal, perhaps with a sign. */
  hex(value: unknown, path: JsonPath): void {
    if (typeof value !== "string" || !/^-?0x[0-9a-fA-F]{1,4096}$/.test(value))
      this.#wrong(path, value, 'a number like "0x1f"');
  }

  oneOf(value: unknown, path: JsonPath, choices: readonly string[]): string | undefined {
    if (typeof value === "string" && choices.includes(value)) return value;
    return this.#wrong(path, value, `one of ${choices.join(", ")}`);
  }

  reference(value: unknown, path: JsonPath, what: string, known: { has(name: never): boolean }): boolean {
    if ((known as ReadonlySet<unknown>).has(value)) return true;
    this.complain(CODES.bmv2Reference, path, `${show(value)} names no ${what} of this program`);
    return false;
  }
}
