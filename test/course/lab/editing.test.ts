/** The requests of a page's editor about the P4 files of a lab. */
import { describe, expect, it } from "vitest";
import type { EditView, LabProject } from "../../../src/course/lab/index.js";
import { folderProject, TestLab } from "./wall.js";

const RING = folderProject("examples/exercise");
const path = "ring.p4";
const TEXT = RING.files[path]!;

/** The offset of a text that occurs once. */
function at(part: string, text = TEXT): number {
  expect(text.split(part), part).toHaveLength(2);
  return text.indexOf(part);
}

function carriedOut(text: string, edits: readonly EditView[]): string {
  return [...edits]
    .sort((a, b) => b.from - a.from)
    .reduce((all, { from, to, text: put }) => all.slice(0, from) + put + all.slice(to), text);
}

/** A program in two files; the lines of the included one end with CR and LF. */
const TYPES = "// Where packets go.\r\ntypedef bit<9> place_t;\r\nconst place_t AWAY = 511;\r\n";
const MAIN = TEXT.replace("header ethernet_t {", '#include "parts/types.p4"\nheader ethernet_t {').replace(
  "bit<9> port)",
  "place_t port)",
);
const SPLIT: LabProject = {
  title: "split",
  files: { "main.p4": MAIN, "parts/types.p4": TYPES },
  open: { kind: "program", path: "main.p4" },
};

describe("the editor's requests to a lab", () => {
  it("describes a word, with the text that it is about", async () => {
    const lab = await TestLab.open(RING);
    const { hover } = await lab.ask({ op: "edit.hover", path, text: TEXT, at: at("ttl;") });
    expect(TEXT.slice(hover!.from, hover!.to)).toBe("ttl");
    expect(hover!.text).toContain("bits 64 to 71 of header `ipv4_t`");
    expect(await lab.ask({ op: "edit.hover", path, text: TEXT, at: TEXT.length + 99 })).toEqual({});
  });

  it("completes members by their types in a text that does not compile", async () => {
    const lab = await TestLab.open(RING);
    const text = TEXT.replace("routes.apply();", "routes.apply();\n hdr.ipv4.t");
    const end = at("hdr.ipv4.t\n", text) + "hdr.ipv4.t".length;
    const { from, items } = await lab.ask({ op: "edit.complete", path, text, at: end });
    expect(text.slice(from, end)).toBe("t");
    expect(items.find(({ label }) => label === "ttl")).toMatchObject({ kind: "field", detail: "bit<8>" });
    expect(items.find(({ label }) => label === "setValid")!.insert).toBe("setValid()");
  });

  it("shows the parameters of a call, and the one at the cursor", async () => {
    const lab = await TestLab.open(RING);
    const place = at("{ hdr.ipv4.version");
    const { help } = await lab.ask({ op: "edit.signature", path, text: TEXT, at: place });
    expect(help).toMatchObject({ active: 0, argument: 1 });
    expect(help!.signatures[0]!.parameters).toHaveLength(4);
    expect(await lab.ask({ op: "edit.signature", path, text: TEXT, at: 0 })).toEqual({});
  });

  it("finds declarations in the file, in an included file, and in v1model.p4, whose text it returns", async () => {
    const lab = await TestLab.open(SPLIT);
    const of = (part: string) =>
      lab.ask({ op: "edit.definition", path: "main.p4", text: MAIN, at: at(part, MAIN) });
    const [mac, port, drop] = [await of("mac;"), await of("place_t port)"), await of("mark_to_drop")];
    expect(mac.place).toEqual({ path: "main.p4", line: 62, column: 28 });
    expect(port.place).toEqual({ path: "parts/types.p4", line: 2, column: 16 });
    expect(drop.place!.path).toBe("p4include/v1model.p4");
    expect(drop.place!.text!.split("\n")[drop.place!.line - 1]).toContain("mark_to_drop");
    expect(await of("if (hdr")).toEqual({});
  });

  it("applies the fix of a message, after which the program has no error", async () => {
    const lab = await TestLab.open(RING);
    const text = TEXT.replace("egress_spec = port;", "egress_spek = port;");
    const check = await lab.reply({ op: "files.check", path, text });
    const [error] = check.diagnostics;
    const { fixes } = await lab.ask({ op: "edit.fixes", path, text });
    expect(fixes).toMatchObject([{ title: "Change to 'egress_spec'", ...error!.start, code: error!.code }]);
    expect(carriedOut(text, fixes[0]!.edits)).toBe(TEXT);
    expect((await lab.ask({ op: "edit.fixes", path, text: TEXT })).fixes).toEqual([]);
  });

  it("renames in all files of the program, with offsets that count the end of a line as one", async () => {
    const lab = await TestLab.open(SPLIT);
    const ask = { op: "edit.rename", path: "main.p4", text: MAIN, at: at("place_t port)", MAIN) } as const;
    const { edits } = await lab.ask({ ...ask, name: "way_t" });
    const types = TYPES.replaceAll("\r\n", "\n");
    const own = (one: string) => edits.filter((edit) => edit.path === one);
    expect(carriedOut(types, own("parts/types.p4"))).toBe(types.replaceAll("place_t", "way_t"));
    expect(carriedOut(MAIN, own("main.p4"))).toBe(MAIN.replace("place_t", "way_t"));
    const refused = await lab.reply({ ...ask, name: "ipv4_t" });
    expect(refused.diagnostics).toMatchObject([{ code: "P46014" }]);
  });

  it("analyses an included file as a part of the program, saved or edited", async () => {
    const lab = await TestLab.open(SPLIT);
    const text = TYPES.replace("bit<9>", "bit<16>");
    const hover = (of: string) =>
      lab.ask({ op: "edit.hover", path: "parts/types.p4", text: of, at: TYPES.indexOf("AWAY") - 2 });
    expect((await hover(TYPES)).hover!.text).toContain("Value: 511");
    expect((await hover(text)).hover!.text).toContain("bit<16>");
    const fixes = await lab.ask({ op: "edit.fixes", path: "main.p4", text: MAIN });
    expect(fixes.fixes).toEqual([]);
  });

  it("formats a file, or gives the reason if it cannot", async () => {
    const lab = await TestLab.open(RING);
    const crooked = TEXT.replaceAll("    ", " ").replace("struct metadata_t {\n}", "struct metadata_t{}");
    const { text } = await lab.ask({ op: "edit.format", path, text: crooked });
    expect(text).toContain("    action drop() {\n        mark_to_drop(standard_metadata);\n    }\n");
    const refused = await lab.reply({ op: "edit.format", path, text: TEXT.replace("};", "") + "{" });
    expect(refused).toMatchObject({ ok: false, diagnostics: [{ code: "P46014" }] });
  });

  it("rejects files that are not P4, and paths outside the project", async () => {
    const lab = await TestLab.open(RING);
    for (const [wrong, code] of [
      ["topology.json", "P46014"],
      ["../../passwd.p4", "P46001"],
    ] as const) {
      const reply = await lab.reply({ op: "edit.hover", path: wrong, text: "", at: 0 });
      expect(reply, wrong).toMatchObject({ ok: false, diagnostics: [{ code }] });
    }
  });
});
