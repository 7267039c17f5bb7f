/**
 * `npm run bench -- memory`: the memory that an idle switch needs in addition to the process, with a tutorial-size program and
 * its table entries, and the memory of each of 200 switches that run one program. Measured after a garbage collection: the
 * JavaScript heap, and memory outside of the heap (typed arrays).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Diagnostics, SourceFile } from "../../src/base/index.js";
import { runCommands } from "../../src/toolchain/control/index.js";
import { type Program, readBmv2, readP4Info } from "../../src/toolchain/program/index.js";
import { Switch } from "../../src/toolchain/switch/index.js";
import type { Benchmark } from "../benchmark.js";

const MB = 2 ** 20;
const SWITCHES = 200;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

async function used(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const golden = (file: string) => {
  const path = join(import.meta.dirname, "../../test/golden", file);
  return new SourceFile(path, readFileSync(path, "utf8"));
};

function load(name: string): Program {
  const diagnostics = new Diagnostics();
  const bmv2 = readBmv2(golden(`${name}/${name}.json`), diagnostics)!;
  return { bmv2, p4info: readP4Info(golden(`${name}/${name}.p4info.txtpb`), "text", diagnostics)! };
}

async function start(program: Program, commands: SourceFile): Promise<Switch> {
  const device = new Switch(program, {
    clock: { now: () => 0, at: () => () => {} },
    transmit: () => {},
    queue: { depthPackets: 64 },
  });
  await runCommands(device, commands, new Diagnostics(), () => {});
  return device;
}

export const run: Benchmark = async (report) => {
  // The memory of the process itself: all code was loaded and used once, by a program of another name.
  const held: unknown[] = [await start(load("queue"), golden("queue/config.txt"))];
  for (const name of ["l3", "cpu"]) {
    const commands = golden(`${name}/config.txt`);
    const before = await used();
    const program = load(name);
    held.push(program, await start(program, commands));
    const first = await used();
    for (let i = 1; i < SWITCHES; i++) held.push(await start(program, commands));
    const all = await used();
    report({ name: `memory/${name}/first`, unit: "MB", value: (first - before) / MB });
    report({
      name: `memory/${name}/each-of-${SWITCHES}`,
      unit: "MB",
      value: (all - first) / (SWITCHES - 1) / MB,
    });
  }
  // Used here again, so that the garbage collection could not free it earlier.
  if (held.length < 2 * SWITCHES) throw new Error("a switch got lost");
};
