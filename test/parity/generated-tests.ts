/** Tests that `p4loom testgen` makes, played on BMv2: where it does something else than they expect. */
import type { Program } from "../../src/toolchain/program/index.js";
import { type GeneratedTest, generateTests, stfOf, updatesOf } from "../../src/toolchain/testgen/index.js";
import { playOnBmv2 } from "./bmv2.js";

/** Ports of the switch from 0, beside those that a test names. */
const PORTS = 16;
/** simple_switch's drop port: the first one that cannot have an interface. */
const DROP_PORT = 511;
const MAX_PATHS = 600;

/** Lines `PORT FRAME` that the test expects and BMv2 does not send, and the other way round. */
async function differences(program: Program, { stimulus, expected }: GeneratedTest): Promise<string[]> {
  const { sent } = await playOnBmv2({
    program,
    updates: await updatesOf(program, stimulus),
    packets: [{ port: stimulus.port, frame: stimulus.bytes }],
    ports: [
      ...new Set([
        ...Array.from({ length: PORTS }, (_, port) => port),
        ...[stimulus, ...expected].map(({ port }) => port),
      ]),
    ],
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

export interface OnBmv2 {
  /** Tests that were played. */
  readonly played: number;
  /** Tests with frames by ports that no switch has, or with members of value sets, which BMv2's P4Runtime server does not take. */
  readonly left: number;
  /** Each test that BMv2 contradicts, with its text and what differs. */
  readonly wrong: readonly (readonly string[])[];
}

/** Makes tests of a program and plays each on a BMv2 of its own. */
export async function playGenerated(program: Program, seed: number, maxTests: number): Promise<OnBmv2> {
  let paths = 0;
  const { tests } = await generateTests(program, {
    ...{ seed, maxTests, allPaths: false, goesOn: () => ++paths <= MAX_PATHS },
  });
  const reachable = tests.filter(
    ({ stimulus, expected }) =>
      [stimulus, ...expected].every(({ port }) => port < DROP_PORT) &&
      !stimulus.commands.some((command) => command.startsWith("pvs_add ")),
  );
  const found = await Promise.all(
    reachable.map(async (test) => {
      const lines = await differences(program, test);
      return lines.length === 0 ? [] : [stfOf(test, "on BMv2"), ...lines];
    }),
  );
  return {
    played: reachable.length,
    left: tests.length - reachable.length,
    wrong: found.filter((lines) => lines.length > 0),
  };
}
