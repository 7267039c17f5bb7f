/** Recorded stimuli of BMv2 as packet tests: commands and all, on programs without P4Info. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { readBmv2 } from "../../../src/toolchain/program/index.js";
import { play } from "./small.js";

const root = resolve(import.meta.dirname, "../../golden");

interface Stimulus {
  in: { port: number; hex: string };
  out: { port: number; hex: string }[];
}

/** A frame without bytes cannot be written: `packet 1` and `expect 1` say something else. */
const isWritable = (stimulus: Stimulus) => [stimulus.in, ...stimulus.out].every(({ hex }) => hex !== "");

describe.each(["l3", "replicate", "memory", "hash"])("%s", (name) => {
  const path = (file: string) => join(root, name, file);
  const configuration = existsSync(path("config.txt")) ? readFileSync(path("config.txt"), "utf8") : "";

  function lines(change: (hex: string) => string): string {
    const stimuli = (JSON.parse(readFileSync(path("packets.json"), "utf8")) as Stimulus[]).filter(isWritable);
    const text = stimuli.map(({ in: { port, hex }, out }) =>
      [`packet ${port} ${hex}`, ...out.map((frame) => `expect ${frame.port} ${change(frame.hex)}$`)].join(
        "\n",
      ),
    );
    return `${configuration}\n${text.join("\n")}\n`;
  }

  const diagnostics = new Diagnostics();
  const bmv2 = readBmv2(
    new SourceFile(`${name}.json`, readFileSync(path(`${name}.json`), "utf8")),
    diagnostics,
  )!;

  it("passes as recorded", async () => {
    const { passed, failed, messages } = await play(
      lines((hex) => hex),
      { bmv2 },
    );
    expect(messages.slice(0, 3)).toEqual([]);
    expect(failed).toBe(0);
    expect(passed).toBeGreaterThan(100);
  });

  it("fails where the recording is changed", async () => {
    let count = 0;
    const flip = (hex: string) =>
      ++count === 100 ? hex.slice(0, -1) + (hex.endsWith("0") ? "1" : "0") : hex;
    expect((await play(lines(flip), { bmv2 })).failed).toBe(1);
  });
});
