/**
 * What the compiler makes of programs that have one group of constructs each: messages, BMv2 JSON, P4Info. `make golden` writes them.
 * Compared with p4c and BMv2 by `npm run bench -- differential test/golden/constructs --bmv2` (docs/conformance.md).
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { readBmv2, readP4Info, writeP4InfoText } from "../../../src/toolchain/program/index.js";
import { goldenLines } from "../../golden-lines.js";

const folder = join(import.meta.dirname, "../../golden/constructs");
const names = readdirSync(folder)
  .filter((name) => name.endsWith(".p4"))
  .map((name) => basename(name, ".p4"));

function compiled(name: string) {
  const file = new SourceFile(`${name}.p4`, readFileSync(join(folder, `${name}.p4`), "utf8"));
  const diagnostics = new Diagnostics();
  const result = compile({ file }, diagnostics);
  const messages = diagnostics.list.map((one) => formatDiagnostic(one));
  if (result === undefined) throw new Error(messages.join("\n"));
  return { messages, ...result.program };
}

describe.each(names)("the program with %s", (name) => {
  it("becomes what is recorded", () => {
    const { messages, bmv2, p4info } = compiled(name);
    const text = [...messages, goldenLines(bmv2), writeP4InfoText(p4info)].join("\n\n");
    const file = join(folder, `${name}.txt`);
    if (process.env["P4LOOM_GOLDEN"] === "update") writeFileSync(file, text);
    expect(text).toBe(readFileSync(file, "utf8"));
  });

  it("can be read again", () => {
    const { bmv2, p4info } = compiled(name);
    const diagnostics = new Diagnostics();
    expect(readBmv2(new SourceFile("a.json", JSON.stringify(bmv2)), diagnostics)).toEqual(bmv2);
    const info = readP4Info(new SourceFile("a.txtpb", writeP4InfoText(p4info)), "text", diagnostics);
    expect(info).toEqual(p4info);
    expect(diagnostics.list).toEqual([]);
  });
});
