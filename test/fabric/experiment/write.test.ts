/** Files of results that are written in parts, since a text may be longer than a string can be. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { writeFolder } from "../../../src/fabric/experiment/files.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-write-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const manifest = (out: string) => readFileSync(join(out, ".p4loom-files.json"), "utf8");

describe("a file in parts", () => {
  function* parts(): Generator<string> {
    yield "one\n";
    yield "";
    yield "zwei, größer\n";
  }

  it("has the bytes and the digest of the whole text", () => {
    const [whole, split] = [join(folder, "whole"), join(folder, "split")];
    writeFolder([["a/lines.jsonl", "one\nzwei, größer\n"]], whole);
    writeFolder([["a/lines.jsonl", parts()]], split);
    expect(readFileSync(join(split, "a/lines.jsonl"), "utf8")).toBe("one\nzwei, größer\n");
    expect(manifest(split)).toBe(manifest(whole));
  });

  it("goes when a later run does not write it", () => {
    const out = join(folder, "again");
    writeFolder([["lines.jsonl", parts()]], out);
    writeFolder([["other.csv", "1\n"]], out);
    expect(existsSync(join(out, "lines.jsonl"))).toBe(false);
    expect(existsSync(join(out, "other.csv"))).toBe(true);
  });

  it("leaves nothing of any file where a part throws", () => {
    const out = join(folder, "thrown");
    function* broken(): Generator<string> {
      yield "one\n";
      throw new Error("no second part");
    }
    expect(() =>
      writeFolder(
        [
          ["a.csv", "1\n"],
          ["b.jsonl", broken()],
        ],
        out,
      ),
    ).toThrow("no second part");
    expect(existsSync(out)).toBe(false);
  });
});
