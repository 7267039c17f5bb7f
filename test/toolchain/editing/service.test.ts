/** The requests of editors, on a program with places marked `‹name›`, on our own programs, and on programs with random errors. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile, spanText } from "../../../src/base/index.js";
import { loadDocument } from "../../../src/toolchain/documents/index.js";
import {
  completion,
  definition,
  folds,
  hover,
  lenses,
  openDocument,
  outline,
  type P4Document,
  quickFixes,
  references,
  rename,
  renameable,
  semanticTokens,
  signatureHelp,
} from "../../../src/toolchain/editing/index.js";
import { applyEdits } from "../../../src/toolchain/editing/rename.js";
import { fitProgram, targetSchema, toJson } from "../../../src/toolchain/fit/index.js";
import { format } from "../../../src/toolchain/formatting/index.js";
import type { IncludeResolver } from "../../../src/toolchain/p4/index.js";

const root = resolve(import.meta.dirname, "../../..");
const RING = readFileSync(join(root, "examples/exercise/ring.p4"), "utf8");

const HEADERS = `
// A MAC address.
typedef bit<48> mac_t;
header ethernet_t {
    mac_t dst;
    mac_t src;   // who sent it
    bit<16> type;
}
header tag_t { bit<12> id; bit<4> left; }
struct headers_t { ethernet_t ethernet; tag_t[3] tags; }
`;

const PROGRAM = `#include <core.p4>
#include <v1model.p4>
#include "headers.p4"
#define PORTS 4
const bit<16> TYPE_TAG = 0x8100;
struct meta_t { bit<9> port; }
parser P(packet_in p, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start { p.extract(hdr.ethernet); transition select(hdr.ethernet.type) { TYPE_TAG: tag; default: accept; } }
    state tag { p.extract(hdr.tags.next); transition accept; }
}
control Check(inout headers_t hdr, inout meta_t meta) { apply { } }
control In(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    bit<9> out_port = PORTS;
    // Sends to a port.
    action send(bit<9> port) { sm.egress_spec = port; out_port = port; }
    action drop() { mark_to_drop(sm); }
    table by_mac {
        key = { hdr.ethernet.dst: exact; meta.port: ternary; }
        actions = { send; drop; }
        default_action = drop();
        size = 64;
    }
    apply { if (by_mac.apply().hit) { hdr.ethernet.src = hdr.ethernet.dst; } }
}
control Eg(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control Out(packet_out p, in headers_t hdr) { apply { p.emit(hdr); } }
V1Switch(P(), Check(), In(), Eg(), Check(), Out()) main;
`;

const includes: IncludeResolver = (name) =>
  name === "headers.p4" ? new SourceFile("headers.p4", HEADERS) : undefined;

function open(text = PROGRAM): P4Document {
  return openDocument("main.p4", text, { resolveInclude: includes });
}

/** The offset of `|` in the first occurrence of a piece of text. */
function at(document: P4Document, context: string): number {
  const [before, after] = context.split("|");
  const index = document.text.indexOf(before! + (after ?? ""));
  if (index < 0) throw new Error(`no ${context}`);
  return index + before!.length;
}

const shown = (document: P4Document, context: string) => hover(document, at(document, context))?.text ?? "";

/** The labels that are offered at `|` in a text. */
function offered(text: string): string[] {
  const offset = text.indexOf("|");
  return completion(open(text.slice(0, offset) + text.slice(offset + 1)), offset).items.map(
    ({ label }) => label,
  );
}

/** The program with one more line at the start of In's apply block. */
const inApply = (line: string) => PROGRAM.replace("apply { if (by_mac", `apply { ${line}\n if (by_mac`);

it("reports no error in the program of these tests", () => {
  expect(open().diagnostics).toEqual([]);
});

describe("hover", () => {
  const document = open();
  it.each([
    ["hdr.eth|ernet.dst: exact", ["ethernet_t ethernet", "112 bits (14 bytes), in struct `headers_t`"]],
    ["hdr.ethernet.d|st: exact", ["mac_t dst", "48 bits (6 bytes), bits 0 to 47 of header `ethernet_t`"]],
    ["hdr.ethernet.s|rc =", ["bits 48 to 95", "who sent it"]],
    ["action se|nd", ["action send(bit<9> port)", "Data of an entry: 9 bits", "Sends to a port."]],
    [
      "by_|mac.apply",
      ["table by_mac", "key `hdr.ethernet.dst`: exact, 48 bits", "`send`, `drop`", "size `64`"],
    ],
    ["{ TYPE_|TAG: tag", ["const bit<16> TYPE_TAG = 0x8100", "33024 = 0x8100"]],
    ["= POR|TS;", ["#define PORTS 4"]],
    ["mark_to|_drop", ["void mark_to_drop(inout standard_metadata_t", "Sets egress_spec"]],
    ["p.ext|ract(hdr.e", ["void extract<T>(out T hdr)", "makes it valid"]],
    ["out_p|ort = port", ["bit<9> out_port", "9 bits"]],
    [
      "inout meta|_t meta, inout standard_metadata_t sm) {\n    bit",
      ["struct meta_t", "| port | bit<9> | 9 |"],
    ],
    ["si|ze = 64", ["maximum number of entries"]],
    ["exac|t; meta", ["exact"]],
    ["apply().h|it", ["whether an entry matched"]],
    ["tags.ne|xt", ["no extract has filled"]],
  ])("at %s", (context, parts) => {
    for (const part of parts) expect(shown(document, context)).toContain(part);
  });

  it("shows the layout of a header, and nothing between words", () => {
    expect(shown(document, "standard_meta|data_t")).toContain("| egress_spec | bit<9> | 9 |");
    expect(
      shown(document, "hea|ders_t hdr, inout meta_t meta, inout standard_metadata_t sm) {\n    state"),
    ).toContain("160 bits (20 bytes)");
    expect(hover(document, at(document, "control |Check") - 3)).toBeUndefined();
  });

  it("shows types although another statement cannot be read", () => {
    const broken = open(inApply("hdr.ethernet. = ; if ("));
    expect(broken.quickDiagnostics.length).toBeGreaterThan(0);
    expect(shown(broken, "hdr.ethernet.d|st: exact")).toContain("48 bits (6 bytes)");
    expect(shown(broken, "out_p|ort = port")).toContain("9 bits");
  });
});

describe("definition and references", () => {
  const document = open();
  const where = (context: string) => {
    const found = definition(document, at(document, context));
    return found === undefined ? undefined : [found.file.path, spanText(found)];
  };

  it("finds the file that declares a name", () => {
    expect(where("hdr.ethernet.d|st: exact")).toEqual(["headers.p4", "dst"]);
    expect(where("TYPE_TAG: t|ag")).toEqual(["main.p4", "tag"]);
    expect(where("mark_to|_drop")).toEqual(["p4include/v1model.p4", "mark_to_drop"]);
    expect(where('include "head|ers')).toEqual(["headers.p4", ""]);
    expect(where("= POR|TS")).toEqual(["main.p4", "PORTS"]);
    expect(where("= 0x81|00")).toBeUndefined();
  });

  it("finds each use, and distinguishes writes from reads", () => {
    const list = references(document, at(document, "bit<9> out_p|ort"));
    expect(list.map(({ role }) => role)).toEqual(["declaration", "write"]);
    const dst = references(document, at(document, "hdr.ethernet.d|st: exact"));
    expect(dst.map(({ span, role }) => `${span.file.path} ${role}`).sort()).toEqual([
      "headers.p4 declaration",
      "main.p4 read",
      "main.p4 read",
    ]);
  });
});

describe("rename", () => {
  const document = open();
  const renamed = (context: string, name: string) => {
    const edits = rename(document, at(document, context), name);
    return "refused" in edits ? edits.refused : applyEdits(document, edits);
  };

  it("changes a name in all files of the program", () => {
    const changed = renamed("hdr.ethernet.d|st: exact", "target") as P4Document;
    expect(changed.files.get("headers.p4")!.text).toContain("mac_t target;");
    expect(changed.text).toContain("hdr.ethernet.src = hdr.ethernet.target;");
    expect(changed.diagnostics).toEqual([]);
  });

  it("changes a variable that a statement declares, with its declaration", () => {
    const text = inApply("bit<16> kept = hdr.ethernet.type; hdr.ethernet.type = kept + 1;");
    const opened = open(text);
    const uses = references(opened, at(opened, "type = ke|pt"));
    expect(uses.map(({ role }) => role)).toEqual(["declaration", "read"]);
    const edits = rename(opened, at(opened, "type = ke|pt"), "saved");
    expect("refused" in edits ? edits : applyEdits(opened, edits).text).toBe(
      text.replaceAll("kept", "saved"),
    );
    // A name in the initial value is a use, too.
    expect(references(opened, at(opened, "kept = hdr.ethernet.ty|pe"))).toHaveLength(4);
  });

  it.each([
    ["action se|nd", "drop", /^with the name 'drop': 'drop' is declared twice$/],
    ["bit<9> out_p|ort", "port", /port/],
    ["action se|nd", "table", /^'table' is a keyword of P4$/],
    ["action se|nd", "2nd", /^'2nd' is not a name/],
    ["mark_to|_drop", "x", /^'mark_to_drop' is declared in p4include\/v1model\.p4$/],
    ["state st|art", "begin", /^'start' is the name of a parser's first state, which is fixed$/],
    [") ma|in;", "other", /^'main' is the name of the switch instance/],
    ["= 0x81|00", "x", /^there is no name here/],
  ])("at %s refuses %s", (context, name, message) => {
    expect(renamed(context, name)).toMatch(message);
  });

  it("rejects names that occur in a macro's text or in excluded lines", () => {
    const macro = open(
      inApply("SET").replace("#define PORTS 4", "#define PORTS 4\n#define SET out_port = 1;"),
    );
    expect(rename(macro, at(macro, "bit<9> out_p|ort"), "x")).toMatchObject({
      refused: expect.stringMatching(/^'out_port' is used in the text of a macro, at main\.p4:\d+:\d+$/),
    });
    const skipped = open(inApply("\n#ifdef X\nout_port = 1;\n#endif"));
    expect(renameable(skipped, at(skipped, "bit<9> out_p|ort"))).toMatchObject({
      refused: expect.stringMatching(/^'out_port' occurs in lines that an #if excludes/),
    });
  });

  it("rejects a name that would make two meanings one", () => {
    // The action would hide the extern, and no type tells the two apart.
    const text = inApply("truncate(32w60);").replace(
      "action drop()",
      "action cut(bit<32> length) { }\n    action drop()",
    );
    const refused = rename(open(text), text.indexOf("cut("), "truncate");
    expect(refused).toEqual({ refused: expect.stringContaining("another meaning at main.p4:") });
    expect(rename(open(text), text.indexOf("cut("), "shorten")).toHaveLength(1);
  });

  it("does not change the meaning of a program, for each name of an example", () => {
    const ring = openDocument("ring.p4", RING);
    let count = 0;
    const declared = ring.occurrences.inFile(ring.file).filter(({ role }) => role === "declaration");
    // Only every third name, because a rename analyses the program twice.
    for (const { span } of declared.filter((_, index) => index % 3 === 0)) {
      const edits = rename(ring, span.start, "another_name");
      if ("refused" in edits) {
        expect(edits.refused).toMatch(/'(main|start)'/);
        continue;
      }
      const changed = applyEdits(ring, edits);
      expect(
        changed.diagnostics.filter(({ severity }) => severity === "error"),
        spanText(span),
      ).toEqual([]);
      const back = rename(changed, changed.text.indexOf("another_name"), spanText(span));
      expect("refused" in back ? back : applyEdits(changed, back).text).toBe(RING);
      count++;
    }
    expect(count).toBeGreaterThan(10);
  });
});

describe("completion", () => {
  it.each([
    [
      "fields and methods of a header",
      inApply("hdr.ethernet.|"),
      ["dst", "src", "type", "isValid", "setInvalid"],
      ["tags"],
    ],
    ["an element of a stack", inApply("hdr.tags[1].|"), ["id", "left", "setValid"], ["dst"]],
    ["the result of a table", inApply("if (by_mac.apply().|"), ["hit", "miss", "action_run"], []],
    ["methods of an extern", PROGRAM.replace("p.emit(hdr);", "p.|"), ["emit"], ["extract"]],
    ["members of an enum", inApply("HashAlgorithm.|"), ["crc32", "csum16"], []],
    ["errors", inApply("error.|"), ["NoError", "PacketTooShort"], []],
    [
      "names in an apply block",
      inApply("|"),
      ["out_port", "hdr", "meta", "by_mac", "send", "TYPE_TAG", "if", "PORTS"],
      ["state", "port", "dst"],
    ],
    ["names in an action", PROGRAM.replace("sm.egress_spec = port;", "po|"), ["port", "out_port", "sm"], []],
    [
      "states",
      PROGRAM.replace("TYPE_TAG: tag;", "TYPE_TAG: |;"),
      ["tag", "start", "accept", "reject"],
      ["hdr"],
    ],
    [
      "states after transition",
      PROGRAM.replace("hdr.tags.next); transition accept", "hdr.tags.next); transition |"),
      ["accept", "tag", "select"],
      [],
    ],
    ["match kinds", PROGRAM.replace("dst: exact", "dst: |"), ["exact", "lpm", "ternary", "range"], ["hdr"]],
    ["actions of a table", PROGRAM.replace("send; drop;", "send; |"), ["send", "drop", "NoAction"], ["hdr"]],
    [
      "table properties",
      PROGRAM.replace("size = 64;", "|"),
      ["size", "implementation", "default_action"],
      ["hdr"],
    ],
    ["annotations", `@|\n${PROGRAM}`, ["name", "hidden"], ["hdr"]],
    ["directives", `#|\n${PROGRAM}`, ["include", "define"], ["hdr"]],
    ["files", `#include <|\n${PROGRAM}`, ["core.p4", "v1model.p4", "psa.p4", "pna.p4"], []],
    ["nothing in a comment", inApply("// hdr.|"), [], ["dst"]],
  ])("offers %s", (_, text, wanted, unwanted) => {
    const labels = offered(text);
    for (const label of wanted) expect(labels).toContain(label);
    for (const label of unwanted) expect(labels).not.toContain(label);
  });

  it("offers the member after each dot of an example, with the rest of the line removed except braces", () => {
    const dots = [...RING.matchAll(/[\w\])]\.([a-z_]\w*)/g)].filter(
      ({ index }) => !/["<#]|\/\//.test(lineOf(RING, index)),
    );
    const missed: string[] = [];
    for (const dot of dots) {
      const place = dot.index + 2;
      const end = RING.indexOf("\n", place);
      const cut = openDocument(
        "ring.p4",
        RING.slice(0, place) + RING.slice(place, end).replace(/[^{}]/g, "") + RING.slice(end),
      );
      const labels = completion(cut, place).items.map(({ label }) => label);
      if (!labels.includes(dot[1]!)) missed.push(`${lineOf(RING, place)}: ${labels.length}`);
    }
    expect(dots.length).toBeGreaterThan(30);
    expect(missed).toEqual([]);
  });
});

function lineOf(text: string, offset: number): string {
  const end = text.indexOf("\n", offset);
  return text.slice(text.lastIndexOf("\n", offset) + 1, end < 0 ? undefined : end);
}

describe("signature help", () => {
  const help = (line: string) => {
    const text = inApply(line);
    const offset = text.indexOf("|");
    const found = signatureHelp(open(text.replace("|", "")), offset);
    return found && { label: found.signatures[found.active]!.label, argument: found.argument };
  };

  it("shows the parameters of actions, externs and methods, and which one is next", () => {
    expect(help("send(|")).toEqual({ label: "action send(bit<9> port)", argument: 0 });
    expect(help("hash(out_port, HashAlgorithm.crc16, |")).toMatchObject({ argument: 2 });
    expect(
      help("hash(out_port, HashAlgorithm.crc16, 9w0, { hdr.ethernet.dst, hdr.ethernet.src }, |"),
    ).toMatchObject({ argument: 4 });
    expect(help("(bit<8>) (1 + |")).toBeUndefined();
  });

  it("selects the first overload with a parameter for the argument at the cursor", () => {
    const text = PROGRAM.replace("p.emit(hdr);", "").replace(
      "p.extract(hdr.ethernet);",
      "p.extract(hdr.ethernet, |);",
    );
    const at = text.indexOf("|");
    const second = signatureHelp(open(text.replace("|", "")), at)!;
    expect(second.signatures.map(({ parameters }) => parameters.length)).toEqual([1, 2]);
    expect([second.active, second.argument]).toEqual([1, 1]);
    const first = signatureHelp(open(text.replace(", |", "")), at - 2)!;
    expect([first.active, first.argument]).toEqual([0, 0]);
  });
});

describe("outline, folds and colours", () => {
  const document = open();

  it("lists declarations with their members", () => {
    const tree = outline(document).map(({ name, kind, children }) => [
      name,
      kind,
      children.map((one) => one.name).join(" "),
    ]);
    expect(tree).toContainEqual(["P", "parser", "start tag"]);
    expect(tree).toContainEqual(["In", "control", "out_port send drop by_mac"]);
    expect(tree.map(([name]) => name)).not.toContain("ethernet_t");
  });

  it("folds bodies, includes and groups of an #if", () => {
    const text = `${PROGRAM}#if 0\na\n#else\n// one\n// two\n#endif\n`;
    const found = folds(open(text)).map(({ kind, start }) => `${kind} ${lineOf(text, start)}`);
    expect(found).toContain("imports #include <core.p4>");
    expect(found).toContain("region #if 0");
    expect(found).toContain("region #else");
    expect(found).toContain("comment // one");
    expect(found).toContain("region     table by_mac {");
  });

  it("folds comments of neighbouring lines, and not across a blank line", () => {
    const text = `// one\n// two\n\n// three\n// four\n\n// alone\n${PROGRAM}`;
    const found = folds(open(text))
      .filter(({ kind }) => kind === "comment")
      .map(({ start, end }) => text.slice(start, end));
    expect(found).toEqual(["// one\n// two", "// three\n// four"]);
  });

  it("colours every word once, in order", () => {
    const tokens = semanticTokens(document);
    for (const [index, token] of tokens.entries())
      if (index > 0) expect(token.start).toBeGreaterThanOrEqual(tokens[index - 1]!.end);
    const kinds = new Map(
      tokens.map(({ start, end, kind, modifiers }) => [
        PROGRAM.slice(start, end),
        [kind, ...modifiers].join(" "),
      ]),
    );
    expect(
      Object.fromEntries(
        [...kinds].filter(([word]) =>
          [
            "send",
            "PORTS",
            "egress_spec",
            "exact",
            "standard_metadata_t",
            "64",
            "table",
            "TYPE_TAG",
          ].includes(word),
        ),
      ),
    ).toEqual({
      send: "function",
      PORTS: "macro",
      egress_spec: "property modification defaultLibrary",
      exact: "enumMember readonly defaultLibrary",
      standard_metadata_t: "struct defaultLibrary",
      "64": "number",
      table: "keyword",
      TYPE_TAG: "variable readonly",
    });
  });
});

const TOFINO = join(root, "data/targets/tofino.yaml");
const target = loadDocument(
  new SourceFile(TOFINO, readFileSync(TOFINO, "utf8")),
  targetSchema,
  new Diagnostics(),
)!.value;

it("gives the stages of tables and of the program", () => {
  expect(lenses(open(), target).map(({ span, text }) => `${spanText(span)}: ${text}`)).toEqual([
    expect.stringMatching(/^by_mac: stage 0, \d+ SRAM, \d+ TCAM$/),
    expect.stringMatching(
      /^main: tofino: 1 of 12 stages, placed; PHV \d+ of 64 x 8 b, \d+ of 96 x 16 b, \d+ of 64 x 32 b; tightest: \d+ of \d+ [\w ]+ in stage 0$/,
    ),
  ]);
  expect(lenses(open(inApply("x")), target)).toEqual([]);
});

it("says which table has no place on a chip, and gives no line above tables of other files", () => {
  const document = open(
    PROGRAM.replace("hdr.ethernet.dst: exact; meta.port: ternary;", "hdr.ethernet.dst: ternary;").replace(
      "size = 64;",
      "size = 4000000;",
    ),
  );
  const texts = lenses(document, target).map(({ span, text }) => `${spanText(span)}: ${text}`);
  expect(texts).toEqual([
    expect.stringMatching(/^by_mac: fits no stage: /),
    expect.stringMatching(/^main: tofino: .* stages, cannot fit: .*by_mac.*; PHV /),
  ]);
  const [head, rest] = [
    PROGRAM.slice(0, PROGRAM.indexOf("control In")),
    PROGRAM.slice(PROGRAM.indexOf("control In")),
  ];
  const split = openDocument("main.p4", `${head}#include "in.p4"\n`, {
    resolveInclude: (name, from, system) =>
      name === "in.p4" ? new SourceFile("in.p4", rest) : includes(name, from, system),
  });
  expect(split.diagnostics).toEqual([]);
  expect(lenses(split, target)).toEqual([]);
  expect(outline(split).map(({ name }) => name)).toEqual(["TYPE_TAG", "meta_t", "P", "Check"]);
});

it("adds up the memory of a table that continues over several stages", () => {
  const document = open(
    PROGRAM.replace("hdr.ethernet.dst: exact; meta.port: ternary;", "hdr.ethernet.dst: exact;").replace(
      "size = 64;",
      "size = 300000;",
    ),
  );
  const parts = toJson(fitProgram(document.program!, target)).tables.filter(({ name }) =>
    name.endsWith("by_mac"),
  );
  const stages = parts.map(({ stage }) => stage);
  expect(parts.length).toBeGreaterThan(1);
  const srams = parts.reduce((sum, part) => sum + part.srams, 0);
  expect(lenses(document, target)[0]!.text).toBe(
    `stages ${Math.min(...stages)} to ${Math.max(...stages)}, ${srams} SRAM`,
  );
});

describe("quick fixes", () => {
  it("follow the advice of the message: its error is corrected, and there is no new one", () => {
    const folders = ["syntax", "types"].map((name) => join(root, "test/bad", name));
    let count = 0;
    for (const folder of folders)
      for (const name of readdirSync(folder).sort()) {
        const document = openDocument(name, readFileSync(join(folder, name), "utf8"));
        for (const fix of quickFixes(document, 0, document.text.length)) {
          const changed = applyEdits(document, fix.edits);
          const same = (one: { code: string; message: string }) =>
            one.code === fix.diagnostic.code && one.message === fix.diagnostic.message;
          const [before, after] = [document, changed].map(
            ({ quickDiagnostics }) => quickDiagnostics.filter(same).length,
          );
          expect(after, `${name}: ${fix.title}`).toBe(before! - 1);
          count++;
        }
      }
    expect(count).toBeGreaterThan(8);
  });

  it("are offered from the first to the last offset of the error, both included", () => {
    const document = open(inApply("hdr.ethernet.tipe = 1;"));
    const { start, end } = document.quickDiagnostics[0]!.span!;
    const titles = (from: number, to: number) => quickFixes(document, from, to).map(({ title }) => title);
    expect(spanText(document.quickDiagnostics[0]!.span!)).toBe("tipe");
    expect(titles(start, start)).toHaveLength(1);
    expect(titles(end, end)).toEqual(titles(start, start));
    expect([titles(0, start - 1), titles(end + 1, document.text.length)]).toEqual([[], []]);
  });
});

it("answers every request on programs with random deletions and duplications", () => {
  const pieces = fc.array(
    fc.record({ from: fc.nat(RING.length), length: fc.nat(60), doubled: fc.boolean() }),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(pieces, fc.nat(RING.length), (holes, place) => {
      let text = RING;
      for (const { from, length, doubled } of holes)
        text = doubled
          ? text.slice(0, from) + text.slice(from, from + length) + text.slice(from)
          : text.slice(0, from) + text.slice(from + length);
      const document = openDocument("ring.p4", text);
      const offset = Math.min(place, text.length);
      hover(document, offset);
      completion(document, offset);
      signatureHelp(document, offset);
      outline(document);
      folds(document);
      quickFixes(document, 0, text.length);
      rename(document, offset, "other");
      format(document.file, new Diagnostics());
      const tokens = semanticTokens(document);
      for (const [index, { start, end }] of tokens.entries()) {
        expect(end).toBeGreaterThan(start);
        expect(end).toBeLessThanOrEqual(text.length);
        if (index > 0) expect(start).toBeGreaterThanOrEqual(tokens[index - 1]!.end);
      }
    }),
    { numRuns: 25 },
  );
});
