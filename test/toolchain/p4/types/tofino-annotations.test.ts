/** Each annotation of Tofino's back end: at its right place, at a wrong one, with a wrong number of arguments; docs list all. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type AnnotationPlace,
  numberRanges,
  PLACE_NAMES,
  TOFINO_ANNOTATIONS,
  type TofinoAnnotation,
} from "../../../../src/toolchain/p4/types/tofino-annotations.js";
import { checkText } from "./checked.js";

const all = [...TOFINO_ANNOTATIONS.values()];

/** A program with `text` at a place. */
function program(place: AnnotationPlace, text: string): string {
  const at = (one: AnnotationPlace) => (one === place ? `${text} ` : "");
  return `#include <tna.p4>
${at("type")}struct S { ${at("field")}bit<8> f; }
${at("other")}const bit<8> K = 1;
${at("control")}parser P(packet_in packet) { ${at("state")}state start { transition accept; } }
control C(inout S s${at("parameter") === "" ? "" : `, ${at("parameter")} in bit<8> p`}) {
  ${at("instance")}Counter<bit<32>, bit<8>>(4, CounterType_t.PACKETS) c;
  ${at("action")}action a() { s.f = 1; }
  ${at("table")}table t { key = { s.f: exact ${at("key")}; } actions = { ${at("actionName")}a; NoAction; } }
  apply { t.apply(); ${at("block")}{ c.count(1); } }
}`;
}

/** With `count` arguments that the annotation takes, or the first of them `first`. */
function withArguments(one: TofinoAnnotation, count: number, first?: string): string {
  const right = numberRanges(one).map((range) => (range?.allows(1n) === false ? "2" : "1"));
  const list = Array.from(
    { length: count },
    (_, index) => (index === 0 ? first : undefined) ?? right[index] ?? "1",
  );
  return count === 0 ? `@${one.name}` : `@${one.name}(${list.join(", ")})`;
}

/** What no annotation takes as its first number. */
const WRONG_NUMBERS = ["-1", "s.f", '"text"', "unknown_name"];

function codes(place: AnnotationPlace, text: string): string[] {
  return checkText(program(place, text)).found.map((one) => one.slice(0, 6));
}

const PLACES = Object.keys(PLACE_NAMES) as AnnotationPlace[];

describe("annotations of Tofino's back end", () => {
  it.each(all.map((one) => [one.name, one] as const))("%s", (_, one) => {
    const { places, least, most } = one;
    if (one.ignored) {
      expect(codes("type", withArguments(one, least))).toEqual(["P40619"]);
      return;
    }
    for (const place of places ?? PLACES) expect(codes(place, withArguments(one, least)), place).toEqual([]);
    const wrong = PLACES.find((place) => places?.includes(place) === false);
    if (wrong !== undefined) expect(codes(wrong, withArguments(one, least)), wrong).toEqual(["P40616"]);
    const right = places?.[0] ?? "type";
    if (least > 0) expect(codes(right, withArguments(one, least - 1))).toEqual(["P40617"]);
    if (most < 10) expect(codes(right, withArguments(one, most + 1))).toEqual(["P40617"]);
    if (numberRanges(one)[0] === undefined) return;
    for (const number of [...WRONG_NUMBERS, ...(/ (?:or|to) /.test(one.form) ? ["1000000"] : [])])
      expect(codes(right, withArguments(one, Math.max(least, 1), number)), number).toEqual(["P40617"]);
  });

  it("take numbers as constants, too, and say which they take", () => {
    expect(codes("table", "@stage(K + 1)")).toEqual([]);
    const { diagnostics } = checkText(program("table", "@idletime_precision(4)"));
    expect(diagnostics.list.map(({ message }) => message)).toEqual([
      "@idletime_precision takes 1, 2, 3 or 6, this is 4",
    ]);
  });

  it("are counted in pragmas, too", () => {
    const table = (pragma: string) => codes("table", `\n@pragma ${pragma}\n`);
    expect(table("stage 3 1024")).toEqual([]);
    expect(table("stage")).toEqual(["P40617"]);
    expect(table('pa_container_size ingress "s.f" 8')).toEqual([]);
  });

  it("name the nearest where a name is misspelt, in programs for Tofino alone", () => {
    const { diagnostics } = checkText(program("table", "@stagee(1)"));
    expect(diagnostics.list.map(({ message }) => message)).toEqual([
      "no annotation @stagee is known; did you mean @stage?",
    ]);
    expect(checkText("@stagee(1) const bit<8> k = 1;").found).toEqual([]);
    expect(checkText(program("table", "@my_own_mark(1)")).found).toEqual([]);
  });

  it("stand on a page", async () => {
    const rows = all.map(
      ({ name, places, form, about }) =>
        `| \`@${name}${form === "" ? "" : `(${form})`}\` | ${places?.map((one) => PLACE_NAMES[one]).join(", ") ?? "anywhere"} | ${about} |`,
    );
    const page = [
      "# Annotations of the Tofino back end",
      "",
      "What p4c's Tofino back end reads, as `@name(arguments)` or `@pragma name arguments`. The checker warns of one that stands elsewhere",
      "(P40616), has other arguments (P40617) or is misspelt (P40618), and notes what has no effect (P40619).",
      "",
      "<!-- not measured: settings of the back end -->",
      "| annotation | stands on | meaning |",
      "|---|---|---|",
      ...rows,
      "",
    ].join("\n");
    await expect(page).toMatchFileSnapshot(join(import.meta.dirname, "../../../../docs/tna/annotations.md"));
  });
});
