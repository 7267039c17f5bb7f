/** Tests of PTF on the embedded switch, over P4Runtime and BF Runtime, with an interface for each port. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { given } from "../../../src/base/index.js";
import { WallClock } from "../../../src/toolchain/daemon/index.js";
import { serve } from "../../../src/toolchain/p4runtime/index.js";
import { type Program, writeP4InfoText } from "../../../src/toolchain/program/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { linksOf, ptfInterfaces } from "../links.js";

const TIMEOUT_MS = 120_000;

export interface Played {
  /** What PTF printed. */
  readonly output: string;
  /** Why the tests failed. */
  readonly failed?: string;
}

export interface PtfRun {
  /** PTF's program, and folders of Python modules with colons between them. */
  readonly ptf: string;
  readonly modules: string;
  /** Folder or file of the tests. */
  readonly tests: string;
  readonly ports: readonly number[];
  /** Of the program. */
  readonly name: string;
  /** More of the tests' parameters, each with a semicolon in front. */
  readonly parameters?: string;
}

type Schema = NonNullable<NonNullable<NonNullable<Parameters<typeof serve>[1]>["bfrt"]>["schema"]>;

export async function playPtf(
  program: Program,
  { schema }: { schema?: Schema },
  { name, ports, tests, parameters = "", ...places }: PtfRun,
): Promise<Played> {
  const clock = new WallClock((fault) => {
    throw fault;
  });
  const device = new Switch(program, { clock, transmit: (port, frame) => links.send(port, frame) });
  const links = linksOf(ports, device);
  links.start();
  const server = await serve(device, {
    address: "127.0.0.1:50051",
    deviceId: 0n,
    ...given({ bfrt: schema && { name, schema } }),
  });
  const folder = mkdtempSync(join(tmpdir(), "ptf-"));
  try {
    const p4info = join(folder, "p4info.txt");
    const config = join(folder, "program.json");
    writeFileSync(p4info, writeP4InfoText(program.p4info));
    writeFileSync(config, JSON.stringify(program.bmv2));
    const given = `grpcaddr='127.0.0.1:50051';p4info='${p4info}';config='${config}'${parameters}`;
    const words = ["--test-dir", tests, ...ptfInterfaces(ports), "--test-params", given];
    return await run(places, words, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await links.stop();
    links.close();
    await server.close();
    await device.close();
    clock.close();
  }
}

function run({ ptf, modules }: Pick<PtfRun, "ptf" | "modules">, words: readonly string[], folder: string) {
  const environment = { ...process.env, PYTHONPATH: `${import.meta.dirname}:${modules}` };
  const child = spawn(ptf, [...words], { cwd: folder, env: environment, timeout: TIMEOUT_MS });
  let output = "";
  const heard = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on("data", heard);
  child.stderr.on("data", heard);
  return new Promise<Played>((done) => {
    child.on("close", (code, signal) => {
      const error = output
        .split("\n")
        .findLast((line) => /^\w*(Error|Exception)\b|^AssertionError/.test(line));
      done(code === 0 ? { output } : { output, failed: error ?? `ends with ${code ?? signal}` });
    });
    child.on("error", (error) => done({ output, failed: error.message }));
  });
}
