/** The programs that the switch fuzzer runs: all of the golden data, and those of `P4LOOM_FUZZ_PROGRAMS`. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { compile, type IncludeResolver } from "../../../src/toolchain/p4/index.js";
import { createP4Info, type Program, readBmv2, readP4Info } from "../../../src/toolchain/program/index.js";

export interface FuzzProgram {
  name: string;
  /** Undefined if it does not compile or is not a v1model program. */
  program: Program | undefined;
  /** Frames that the program can process. */
  frames: readonly Uint8Array[];
  commands: string;
}

const golden = resolve(import.meta.dirname, "../../../test/golden");
const read = (path: string) => readFileSync(path, "utf8");
const source = (path: string) => new SourceFile(path, read(path));
const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"));

function loadGolden(name: string): FuzzProgram {
  const diagnostics = new Diagnostics();
  const file = (suffix: string) => join(golden, name, suffix);
  const bmv2 = readBmv2(source(file(`${name}.json`)), diagnostics)!;
  const info = file(`${name}.p4info.txtpb`);
  const p4info = existsSync(info) ? readP4Info(source(info), "text", diagnostics)! : createP4Info();
  const packets = existsSync(file("packets.json"))
    ? (JSON.parse(read(file("packets.json"))) as { in: { hex: string } }[])
    : [];
  const commands = existsSync(file("config.txt")) ? read(file("config.txt")) : "";
  return {
    name,
    program: { bmv2, p4info },
    frames: packets.map((packet) => bytesOf(packet.in.hex)),
    commands,
  };
}

/** Frames of an STF test in the folder of a program. */
export function stfFrames(path: string): Uint8Array[] {
  const test = path.replace(/\.p4$/, ".stf");
  if (!existsSync(test)) return [];
  return [...read(test).matchAll(/^packet\s+\d+\s+([0-9a-fA-F ]+)/gm)].map((match) =>
    bytesOf(match[1]!.replaceAll(" ", "")),
  );
}

function loadSource(path: string): FuzzProgram {
  const resolveInclude: IncludeResolver = (name, from) => {
    const beside = join(dirname(from.path), name);
    return existsSync(beside) ? source(beside) : undefined;
  };
  const compiled = compile({ file: source(path), resolveInclude }, new Diagnostics());
  return { name: path, program: compiled?.program, frames: stfFrames(path), commands: "" };
}

const folder = process.env.P4LOOM_FUZZ_PROGRAMS;
const loaders: (() => FuzzProgram)[] = [
  ...readdirSync(golden)
    .sort()
    .filter((name) => existsSync(join(golden, name, `${name}.json`)))
    .map((name) => () => loadGolden(name)),
  ...(folder === undefined
    ? []
    : readdirSync(folder)
        .sort()
        .filter((name) => name.endsWith(".p4") && read(join(folder, name)).includes("v1model.p4"))
        .map((name) => () => loadSource(join(folder, name)))),
];

const loaded: (FuzzProgram | undefined)[] = [];

export const programCount = loaders.length;

/** A program by its number; each program is read once. */
export function programAt(number: number): FuzzProgram {
  loaded[number] ??= loaders[number]!();
  return loaded[number];
}
