import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventOutput, readLines } from "../../../src/fabric/host-agent/lines.js";

/** What is read of chunks of text. */
async function linesOf(chunks: readonly string[]): Promise<string[]> {
  const input = new PassThrough();
  const lines: string[] = [];
  const ended = new Promise<void>((resolve) => {
    readLines(input, (line) => lines.push(line), resolve);
  });
  for (const chunk of chunks) input.write(chunk);
  input.end();
  await ended;
  return lines;
}

describe("lines of the input", () => {
  it("are the same wherever the text is cut, without empty ones and a last part", async () => {
    const line = fc.string({ unit: fc.constantFrom("a", "ä", "{", " ") });
    const cuts = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 10 }), line, cuts, async (lines, rest, cuts) => {
        const text = lines.map((line) => `${line}\n`).join("") + rest;
        const places = [0, ...cuts.sort((a, b) => a - b), text.length];
        const chunks = places.slice(1).map((to, i) => text.slice(places[i], to));
        expect(await linesOf(chunks)).toEqual(lines.filter((line) => line.trim() !== ""));
      }),
    );
  });

  it("are given in part when they are longer than any request", async () => {
    const long = "x".repeat(1 << 20);
    expect(await linesOf([long, "yz", "\nnext\n"])).toEqual([`${long}yz`, "next"]);
  });
});

it("events go to a file in their order", async () => {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-lines-"));
  try {
    const path = join(folder, "events");
    const fd = openSync(path, "w");
    const output = new EventOutput(fd, () => {});
    output.send({ event: "listening", id: 1, port: 80 });
    output.send({ event: "error", id: null, text: "two\nlines" });
    await new Promise<void>((resolve) => output.finish(resolve));
    closeSync(fd);
    expect(readFileSync(path, "utf8")).toBe(
      '{"event":"listening","id":1,"port":80}\n{"event":"error","id":null,"text":"two\\nlines"}\n',
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
