/**
 * All answers about one program with most constructs of the language, as texts: what each word means, what is offered at each
 * place, and how the program is shown. The answers were read against the specification of P4; `make golden` rewrites them.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../src/base/index.js";
import {
  completion,
  definition,
  folds,
  hover,
  type OutlineItem,
  openDocument,
  outline,
  type P4Document,
  references,
  semanticTokens,
  signatureHelp,
} from "../../../src/toolchain/editing/index.js";

const folder = resolve(import.meta.dirname, "../../golden/editing");
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const RICH = read("rich.p4");
const LIBRARY = new SourceFile("library.p4", read("library.p4"));

const open = (text: string): P4Document =>
  openDocument("rich.p4", text, {
    resolveInclude: (name) => (name === "library.p4" ? LIBRARY : undefined),
  });
const document = open(RICH);

const placeOf = (text: string, offset: number) => {
  const before = text.slice(0, offset).split("\n");
  return `${before.length}:${before.at(-1)!.length + 1}`;
};
const isGolden = (lines: readonly string[], name: string) =>
  expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(join(folder, name));

it("is a program without errors and warnings", () => {
  expect(document.diagnostics).toEqual([]);
});

it("describes each word", async () => {
  const seen = new Set<string>();
  const lines: string[] = [];
  for (const { index } of RICH.matchAll(/[A-Za-z_]\w*/g)) {
    const found = hover(document, index);
    const own = definition(document, index);
    const what = found === undefined ? "nothing" : found.text;
    const word = found === undefined ? "" : RICH.slice(found.span.start, found.span.end);
    const text = `${word}\n${what}`;
    if (found === undefined || seen.has(text)) continue;
    seen.add(text);
    const from =
      own === undefined ? "" : ` declared at ${own.file.path}:${placeOf(own.file.text, own.start)}`;
    const uses = references(document, index).map(({ role }) => role[0]);
    lines.push(
      `== ${placeOf(RICH, index)} ${word}${from}${uses.length > 0 ? ` [${uses.join("")}]` : ""}`,
      what,
      "",
    );
  }
  await isGolden(lines, "hover.txt");
});

it("describes each word of an included file, which has the meaning of the program that includes it", () => {
  expect(definition(document, RICH.indexOf("ethernet_t ethernet"))!.file.path).toBe("library.p4");
  const about = hover(document, RICH.indexOf("port_id_t     port"))!.text;
  expect(about).toContain("type bit<9> port_id_t");
  expect(about).toContain("a port");
  expect(hover(document, RICH.indexOf("ethernet_t ethernet"))!.text).toMatch(/A frame\.$/);
});

it("lists declarations", async () => {
  const linesOf = (items: readonly OutlineItem[], indent: string): string[] =>
    items.flatMap(({ name, kind, detail, span, nameSpan, children }) => {
      expect(RICH.slice(nameSpan.start, nameSpan.end)).toBe(name);
      expect(span.start).toBeLessThanOrEqual(nameSpan.start);
      expect(span.end).toBeGreaterThanOrEqual(nameSpan.end);
      const head = `${indent}${kind} ${name}${detail === "" ? "" : `: ${detail}`}`;
      return [
        `${head} (${placeOf(RICH, span.start)} to ${placeOf(RICH, span.end)})`,
        ...linesOf(children, `${indent}  `),
      ];
    });
  await isGolden(linesOf(outline(document), ""), "outline.txt");
});

it("folds bodies, comments, includes and conditions", async () => {
  const lines = folds(document).map(
    ({ kind, start, end }) => `${kind} ${placeOf(RICH, start)} to ${placeOf(RICH, end)}`,
  );
  await isGolden(lines, "folds.txt");
});

it("colours each word", async () => {
  const lines = semanticTokens(document).map(
    ({ start, end, kind, modifiers }) =>
      `${placeOf(RICH, start)} ${RICH.slice(start, end).replaceAll("\n", "\\n")}: ${[kind, ...modifiers].join(" ")}`,
  );
  await isGolden(lines, "colours.txt");
});

describe("the comment of a declaration", () => {
  it.each([
    ["two lines above", "// one\n// two\nTHIS", "one\ntwo"],
    ["a block above", "/** one\n *  two\n **/\nTHIS", "one\n two"],
    ["a block on one line", "/* one */\nTHIS", "one"],
    ["nothing across an empty line", "// one\n\nTHIS", ""],
    ["nothing of a block behind code", "const int a = 1; /* one\n two */\nTHIS", ""],
    ["nothing of another one on this line", "// one\nconst int a = 1; THIS", ""],
    ["what stands behind it", "THIS // one", "one"],
    ["what stands behind it in a block", "THIS /* one */", "one"],
    ["nothing before other code", "THIS /* one */ const int a = 1;", ""],
    ["without a line of dashes and marks", "//------\n/// one\n// =====\nTHIS", "one"],
    ["the one above, not the one behind", "// above\nTHIS // behind", "above"],
  ])("is %s", (_, text, comment) => {
    const changed = text.replace("THIS", "const int here = 1;");
    const found = hover(openDocument("c.p4", changed), changed.indexOf("here"))!.text;
    expect(found).toBe(
      ["```p4\nconst int here = 1\n```", "Value: 1", comment].filter((part) => part !== "").join("\n\n"),
    );
  });
});

describe("at a place in a program that is being written", () => {
  /** Each replaces a text of the program; `|` is the cursor. */
  const PLACES: readonly (readonly [text: string, by: string])[] = [
    ["hdr.ethernet.src = hdr.ethernet.dst;", "hdr.|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "hdr.ethernet.|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "hdr.tags.|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "hdr.tags[1].|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "hdr.tags.next.|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "hdr.any.|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "hdr.any.small.|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "meta.pair.|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "meta.port.|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "most(1).|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "kind_t.|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "color_t.|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "mac_t.|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "error.|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "counted.|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "by_entry.|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "by_mac.|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "by_mac.apply().|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "spread.apply().action_run.|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "nothing.|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "(hdr.ethernet).|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "spread.apply().hit.|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "Count.|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "Count.apply(|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "tag_t.|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "most(1, 2).|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", ".|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", ").|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "hdr.tags[most(1, meta.|"],
    ["hdr.ethernet.src = hdr.ethernet.dst;", "|"],
    ["bit<8> inner = LOW(meta.kept);", "bit<8> inner = 0; |"],
    ["{ largest = largest + i; }", "{ | }"],
    ["{ largest = largest ^ each; }", "{ | }"],
    ["where = value;", "|"],
    ["return b;\n", "|\n"],
    ["direct_counter(CounterType", "|\n    direct_counter(CounterType"],
    ["    value_set<bit<16>>", "    |\n    value_set<bit<16>>"],
    ["        tags.apply(p, hdr);", "        p.|"],
    ["        tags.apply(p, hdr);", "        tags.|"],
    ["        tags.apply(p, hdr);", "        p.lookahead<tag_t>().|"],
    ["        tags.apply(p, hdr);", "        f<tuple<bit<8>, bit<8>>>(1).|"],
    ["        tags.apply(p, hdr);", "        p.length<|"],
    ["        tags.apply(p, hdr);", "        more_types.|"],
    ["        tags.apply(p, hdr);", "        |"],
    ["transition select(hdr.ethernet.kind, ahead)", "transition |;\n select(hdr.ethernet.kind, ahead)"],
    ["more_types: options;", "more_types: |;"],
    ["        counters = by_entry;", "        |"],
    ["        const default_action = drop();", "        const |"],
    ["actions = { send; @defaultonly drop; }", "actions = { | }"],
    ["actions = { send; @defaultonly drop; }", "actions = { send; | }"],
    ["key = { hdr.ethernet.src: selector; }", "key = { hdr.ethernet.src: | }"],
    ["key = { hdr.ethernet.src: selector; }", "key = { | }"],
    ["control Check(", "|\ncontrol Check("],
    ["control Check(", "@|\ncontrol Check("],
    ["#define WIDTH 12", "#|"],
    ["#define WIDTH 12", "#include <|"],
    ["#define WIDTH 12", "#  include  <c|"],
    ["#define WIDTH 12", "#include <core.p4> |"],
    ["#define WIDTH 12", "# de|"],
    ["#define WIDTH 12", "#define A |"],
    ["#define WIDTH 12", "#ifdef |"],
    ["#define WIDTH 12", '#include "|'],
    ["#elif WIDTH > 4", "#elif |"],
    ["#define WIDTH 12", "#define |"],
    ["/* A program", "/* |"],
    ['log_msg("largest', 'log_msg("|largest'],
  ];

  it("offers what can stand there", async () => {
    const lines = PLACES.map(([text, by]) => {
      expect(RICH.split(text)).toHaveLength(2);
      const at = RICH.indexOf(text) + by.indexOf("|");
      const changed = RICH.replace(text, () => by.replace("|", ""));
      const { items } = completion(open(changed), at);
      const own = items.filter(({ kind }) => kind !== "keyword" && kind !== "macro");
      const others = items.filter(({ kind }) => kind === "keyword" || kind === "macro");
      const texts = own
        .slice(0, 24)
        .map(
          ({ label, kind, detail, insert, rank }) =>
            `  ${rank} ${kind} ${label}${detail ? `: ${detail}` : ""}${insert === undefined || insert === label ? "" : ` -> ${insert.replaceAll("\n", "\\n")}`}`,
        );
      const rest = own.length > 24 ? [`  and ${own.length - 24} more`] : [];
      const words = others.length === 0 ? [] : [`  words: ${others.map(({ label }) => label).join(" ")}`];
      return [`== ${by.replaceAll("\n", "\\n").trim()}`, ...texts, ...rest, ...words].join("\n");
    });
    await isGolden(lines, "completion.txt");
  });

  const CALLS = [
    "send(|",
    "old(largest, |",
    "most(|",
    "most(1, |",
    "most(1, 2, |",
    "hash(meta.kept, HashAlgorithm.crc32, 32w0, { hdr.ethernet.dst, |",
    "hash(meta.kept, HashAlgorithm.crc32, 32w0, { hdr.ethernet.dst, hdr.ethernet.src }, |",
    "most(most(1, 2), |",
    "most((1 + 2), hdr.tags[|",
    "counted.apply(|",
    "by_entry.count(|",
    "clone_preserving_field_list(CloneType.I2E, |",
    "nothing(|",
    "send(1, 2); (|",
    "Count(|",
    "Tags(|",
    "register<bit<32>>(|",
    "V1Switch(|",
    "if (largest > most(|",
    "p.extract(hdr.tags.next, |",
    "f<bit<8>>(|",
    "most(1, /* most(2, */ |",
    "most(1, { 2, 3 }, |",
  ];

  it("shows the parameters of the call around it", async () => {
    const text = "hdr.ethernet.src = hdr.ethernet.dst;";
    const lines = CALLS.map((call) => {
      const at = RICH.indexOf(text) + call.indexOf("|");
      const found = signatureHelp(open(RICH.replace(text, () => call.replace("|", ""))), at);
      if (found === undefined) return `${call}: nothing`;
      const { signatures, active, argument } = found;
      const all = signatures.map(
        ({ label, parameters, documentation }, index) =>
          `  ${index === active ? "*" : "-"} ${label} [${parameters.join(" / ")}] ${documentation.replaceAll("\n", " ").slice(0, 60)}`,
      );
      return [`${call}: argument ${argument}`, ...all].join("\n");
    });
    await isGolden(lines, "signatures.txt");
  });
});
