/** docs/trace.md shows what the commands print, and docs/trace.schema.json what documents are. */

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { traceSchema } from "../../src/toolchain/trace/schema.js";
import { COMMAND } from "../built-command.js";

const root = resolve(import.meta.dirname, "../..");
const update = process.env["P4LOOM_GOLDEN"] === "update";

function golden(path: string, text: string): void {
  const file = join(root, path);
  if (update) writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, "utf8"));
}

function run(command: string): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, [COMMAND, ...command.split(" ")], {
    cwd: root,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return stdout;
}

/** Each command of the page with the block behind it. */
const EXAMPLE = /^ {4}npx p4loom (trace .*)\n([\s\S]*?)```(text|json)\n[\s\S]*?```$/gm;

describe("docs/trace.md", () => {
  it("shows what its commands print", () => {
    let examples = 0;
    const page = readFileSync(join(root, "docs/trace.md"), "utf8");
    const printed = page.replace(EXAMPLE, (_, command: string, between: string, kind: string) => {
      examples++;
      const text = run(command);
      const shown = kind === "json" ? text.replace(/\{"kind"/g, '\n{"kind"') : text;
      return `    npx p4loom ${command}\n${between}\`\`\`${kind}\n${shown}\`\`\``;
    });
    expect(examples).toBe(3);
    golden("docs/trace.md", printed);
  });

  it("names every kind of event, outcome and drop, and nothing else", () => {
    const page = readFileSync(join(root, "docs/trace.md"), "utf8");
    const text = JSON.stringify(z.toJSONSchema(traceSchema));
    const kinds = [...text.matchAll(/"const":"([a-z_]+)"/g)].map((match) => match[1]!);
    const reasons = /"enum":\[([^\]]*"mark_to_drop"[^\]]*)\]/.exec(text)![1]!.match(/[a-z_]+/g)!;
    const listed = [...page.matchAll(/^\| ((?:`[a-z_]+`(?:, )?)+) \|/gm)].flatMap(
      (row) => row[1]!.match(/[a-z_]+/g)!,
    );
    expect([...new Set(listed)].sort()).toEqual([...new Set([...kinds, ...reasons])].sort());
  });
});

it("docs/trace.schema.json is the schema", () => {
  const { $schema, ...rest } = z.toJSONSchema(traceSchema, { reused: "ref" });
  const schema = { $schema, title: "p4loom packet trace, version 1", ...rest };
  golden("docs/trace.schema.json", `${JSON.stringify(schema, null, 2)}\n`);
});
