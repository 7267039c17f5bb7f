/**
 * What the reader of BMv2 JSON and the rules of P4Info say about each part of a program that is missing or wrong. For each kind of
 * place in the recorded programs, and in those that we compile from test/golden/constructs (indexes left out), the smallest program with
 * such a place is damaged there. `make golden` rewrites the outcomes.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import {
  readBmv2,
  readP4Info,
  validateP4Info,
  writeP4InfoJson,
} from "../../../src/toolchain/program/index.js";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const golden = resolve(import.meta.dirname, "../../golden");

/** The values that replace what is there; `undefined` removes it. */
const DAMAGES: readonly (readonly [name: string, value: Json | undefined])[] = [
  ["missing", undefined],
  ["null", null],
  ["-1", -1],
  ["0", 0],
  ["1e9", 1e9],
  ["1.5", 1.5],
  ["true", true],
  ["text", "no such name"],
  ["empty text", ""],
  ["[]", []],
  ["{}", {}],
];

interface Place {
  readonly document: string;
  readonly path: readonly (string | number)[];
}

/** For each kind of place below the top level of the documents, smallest documents first: the first place of this kind. */
function placesOf(documents: readonly string[]): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const document of [...documents].sort((a, b) => a.length - b.length)) {
    const visit = (value: Json, path: readonly (string | number)[]): void => {
      // Values of one type are places of one kind: a "type" beside the value says which.
      const kind = path
        .map((key, i) => (typeof key === "number" ? "[]" : path[i - 1] === "next_tables" ? ".*" : `.${key}`))
        .join("")
        .slice(1);
      const own =
        typeof value === "object" && value !== null && !Array.isArray(value)
          ? (value["type"] ?? value["op"])
          : undefined;
      const shape = typeof own === "string" && /^[a-z_0-9]+$/.test(own) ? `${kind} (${own})` : kind;
      // Expressions nest: two levels show each rule.
      if (path.filter((key) => key === "value").length > 2) return;
      if (path.length > 0 && !places.has(shape)) places.set(shape, { document, path });
      if (Array.isArray(value)) for (const [index, one] of value.entries()) visit(one, [...path, index]);
      else if (typeof value === "object" && value !== null)
        for (const [key, one] of Object.entries(value)) visit(one, [...path, key]);
    };
    visit(JSON.parse(document) as Json, []);
  }
  return places;
}

/** Kinds of places, few to a test, so that a test is short. */
function partsOf(places: ReadonlyMap<string, Place>): [first: string, places: [string, Place][]][] {
  const parts: [string, [string, Place][]][] = [];
  for (const one of places) {
    const last = parts.at(-1);
    if (last !== undefined && last[1].length < 4) last[1].push(one);
    else parts.push([one[0], [one]]);
  }
  return parts;
}

function damaged({ document, path }: Place, value: Json | undefined): string {
  const json = JSON.parse(document) as Json;
  let at = json;
  for (const key of path.slice(0, -1)) at = (at as Record<string | number, Json>)[key]!;
  const last = path.at(-1)!;
  if (value !== undefined) (at as Record<string | number, Json>)[last] = value;
  else if (Array.isArray(at)) at.splice(last as number, 1);
  else delete (at as Record<string | number, Json>)[last];
  return JSON.stringify(json);
}

/** One line for each outcome at a place. */
function outcomes(shape: string, place: Place, read: (text: string) => string): string[] {
  const byOutcome = new Map<string, string[]>();
  for (const [name, value] of DAMAGES) {
    const outcome = read(damaged(place, value));
    byOutcome.set(outcome, [...(byOutcome.get(outcome) ?? []), name]);
  }
  return [
    shape,
    ...[...byOutcome].map(
      ([outcome, names]) => `  ${names.join(", ")}: ${outcome === "" ? "read" : outcome}`,
    ),
  ];
}

/** The first diagnostic without the value that it names, and whether it points to a text. */
function told({ list }: Diagnostics): string {
  const [first, ...more] = list;
  if (first === undefined) return "read";
  const { code, message, span } = first;
  const rest = more.length === 0 ? "" : ` (and ${more.length} more)`;
  const rule = message
    .replace(/(?<=^`.*`) is .*(?=; it should be)/, "")
    .replace(/^.*(?=names no)/, "")
    .replace(/(?<=of unknown type ).*/, "...")
    .replace(/(?<=not a P4Info in JSON).*/, "");
  return `${code} ${rule}${span === undefined ? " at no place" : ""}${rest}`;
}

const CONSTRUCTS = readdirSync(join(golden, "constructs"))
  .filter((name) => name.endsWith(".p4"))
  .map((name) => {
    const file = new SourceFile(name, readFileSync(join(golden, "constructs", name), "utf8"));
    return compile({ file }, new Diagnostics())!.program;
  });

const PROGRAMS = readdirSync(golden)
  .map((name) => join(golden, name, `${name}.json`))
  .filter((path) => existsSync(path))
  .map((path) => readFileSync(path, "utf8"))
  .filter((text) => text.length < 60_000);

describe("damage to BMv2 JSON", () => {
  const places = placesOf([...PROGRAMS, ...CONSTRUCTS.map(({ bmv2 }) => JSON.stringify(bmv2))]);
  it.each(partsOf(places))("from %s on", (_, part) => {
    const lines = part.flatMap(([shape, place]) =>
      outcomes(shape, place, (text) => {
        const diagnostics = new Diagnostics();
        const program = readBmv2(new SourceFile("p.json", text), diagnostics);
        expect(program === undefined).toBe(diagnostics.hasErrors);
        return told(diagnostics);
      }),
    );
    expect(`\n${lines.join("\n")}\n`).toMatchSnapshot();
  });
});

describe("damage to P4Info", () => {
  const infos = readdirSync(golden)
    .map((name) => join(golden, name, `${name}.p4info.txtpb`))
    .filter((path) => existsSync(path))
    .map((path) =>
      writeP4InfoJson(
        readP4Info(new SourceFile(path, readFileSync(path, "utf8")), undefined, new Diagnostics())!,
      ),
    );
  const places = placesOf([...infos, ...CONSTRUCTS.map(({ p4info }) => writeP4InfoJson(p4info))]);
  it.each(partsOf(places))("from %s on", (_, part) => {
    const lines = part.flatMap(([shape, place]) =>
      outcomes(shape, place, (text) => {
        const diagnostics = new Diagnostics();
        const info = readP4Info(new SourceFile("p.json", text), undefined, diagnostics);
        expect(info === undefined).toBe(diagnostics.hasErrors);
        if (info !== undefined) validateP4Info(info, diagnostics);
        return told(diagnostics);
      }),
    );
    expect(`\n${lines.join("\n")}\n`).toMatchSnapshot();
  });
});
