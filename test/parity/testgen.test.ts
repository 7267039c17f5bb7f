/** Generated tests hold on BMv2: it sends what they expect, port by port, where it is installed. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../src/base/index.js";
import { runCommands } from "../../src/toolchain/control/index.js";
import type { Update } from "../../src/toolchain/device/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import type { Program } from "../../src/toolchain/program/index.js";
import { Switch } from "../../src/toolchain/switch/index.js";
import { type GeneratedTest, generateTests, stfOf } from "../../src/toolchain/testgen/index.js";
import { BMV2, NO_BMV2, playOnBmv2 } from "./bmv2.js";

const root = resolve(import.meta.dirname, "../..");
const PORTS = 16;

/** What the commands of a test write, as a controller would. */
async function updatesOf(program: Program, commands: readonly string[]): Promise<Update[]> {
  const updates: Update[] = [];
  const device = new Switch(program, { clock: { now: () => 0, at: () => () => {} }, transmit: () => {} });
  const write = device.write.bind(device);
  device.write = (batch, ...more) => {
    updates.push(...batch);
    return write(batch, ...more);
  };
  const diagnostics = new Diagnostics();
  await runCommands(device, new SourceFile("commands", commands.join("\n")), diagnostics);
  diagnostics.throwIfErrors();
  return updates;
}

/** Lines `PORT FRAME` that the test expects and BMv2 does not send, and the other way round. */
async function differences(program: Program, { stimulus, expected }: GeneratedTest): Promise<string[]> {
  const { sent } = await playOnBmv2({
    program,
    updates: await updatesOf(program, stimulus.commands),
    packets: [{ port: stimulus.port, frame: stimulus.bytes }],
    ports: PORTS,
    expected: expected.length,
  });
  const got = sent.map(({ port, frame }) => `${port} ${Buffer.from(frame).toString("hex")}`);
  const lines = expected.map(
    ({ port, nibbles }) => `${port} ${nibbles.map((nibble) => nibble?.toString(16) ?? ".").join("")}`,
  );
  const wrong: string[] = [];
  for (const line of lines) {
    const at = got.findIndex((one) => new RegExp(`^${line}$`).test(one));
    if (at < 0) wrong.push(`not sent: ${line}`);
    else got.splice(at, 1);
  }
  return [...wrong, ...got.map((line) => `not expected: ${line}`)];
}

describe.skipIf(BMV2 === undefined)(
  `generated tests on BMv2 (${BMV2 === undefined ? NO_BMV2 : "installed"})`,
  () => {
    const programs = [
      "test/toolchain/coverage/programs/choices.p4",
      "test/toolchain/testgen/programs/ways.p4",
    ];
    const more = (process.env["P4LOOM_TESTGEN_PROGRAMS"] ?? "").split(":").filter((path) => path !== "");
    it.each([...programs.map((path) => join(root, path)), ...more])(
      "hold: %s",
      { timeout: 600_000 },
      async (path) => {
        const diagnostics = new Diagnostics();
        const result = compile(
          { file: new SourceFile("program.p4", readFileSync(path, "utf8")) },
          diagnostics,
        );
        diagnostics.throwIfErrors();
        const { program } = result!;
        let paths = 0;
        const { tests } = await generateTests(program, {
          seed: 1,
          maxTests: 24,
          allPaths: false,
          goesOn: () => ++paths <= 600,
        });
        const reachable = tests.filter(({ expected }) => expected.every(({ port }) => port < PORTS));
        expect(reachable.length).toBeGreaterThan(0);
        const wrong = await Promise.all(
          reachable.map(async (test) => {
            const found = await differences(program, test);
            return found.length === 0 ? [] : [stfOf(test, "on BMv2"), ...found];
          }),
        );
        expect(wrong.flat()).toEqual([]);
      },
    );
  },
);
