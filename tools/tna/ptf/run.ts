/**
 * Runs the PTF tests of the open compiler for listed programs over P4Runtime and BF Runtime, on interfaces.
 *
 *     unshare -n env CORPUS=DIR MODULES=DIR PTF=COMMAND npx tsx tools/tna/ptf/run.ts [NAME ...]
 *
 * CORPUS holds `corpus.tsv` and the programs; a test lies beside its program, with the suffix `.ptf`. PTF is the program of p4lang/ptf. MODULES are folders of
 * Python modules, with colons between them: the messages of P4Runtime, `bfrt_grpc` and `ptf-utils` of the open drivers (p4lang/open-p4studio), `ptfutils` of the open
 * compiler (`p4-tests/tools`). Results go to `CORPUS/ptf.jsonl`, which tools/tna/packets.ts reads. With names, only tests whose program contains one
 * run, and what they print is shown.
 *
 * Two modules of this folder stand in front: `p4runtime_base_tests` adds an election id, which P4Runtime has asked for since the tests were written, and lets
 * scapy take a text as the bytes that it was in Python 2; `pd_base_tests` makes sessions of mirrors over BF Runtime, where the tests use the drivers' Thrift interface.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Diagnostics, given } from "../../../src/base/index.js";
import { WallClock } from "../../../src/toolchain/daemon/index.js";
import { loadProgram } from "../../../src/toolchain/loading/index.js";
import { serve } from "../../../src/toolchain/p4runtime/index.js";
import { writeP4InfoText } from "../../../src/toolchain/program/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { type Case, chipDefines, programFile, readCases, searchPath } from "../corpus.js";
import { linksOf, ptfInterfaces } from "../links.js";
import type { Result } from "../packets.js";

const PORTS = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const TIMEOUT_MS = 120_000;

interface Places {
  readonly corpus: string;
  readonly modules: string;
  readonly ptf: string;
}

const testsOf = (corpus: string, one: Case): string => programFile(corpus, one).replace(/\.p4$/, ".ptf");

/** What PTF printed, and why the tests failed, if they did. */
async function play(one: Case, places: Places): Promise<{ output: string; failed?: string }> {
  const path = programFile(places.corpus, one);
  const define = [...chipDefines(one.chip), ...one.defines];
  const files = { path, include: searchPath(places.corpus, one), define };
  const { program, bfrt } = await loadProgram(files, new Diagnostics(), "ignore");
  const schema = await bfrt?.();
  const clock = new WallClock((fault) => {
    throw fault;
  });
  const device = new Switch(program, { clock, transmit: (port, frame) => links.send(port, frame) });
  const links = linksOf(PORTS, device);
  links.start();
  const name = basename(path, ".p4");
  const server = await serve(device, {
    address: "127.0.0.1:50051",
    deviceId: 0n,
    ...given({ bfrt: schema && { name, schema } }),
  });
  const folder = mkdtempSync(join(tmpdir(), "ptf-"));
  try {
    const p4info = join(folder, "p4info.txt");
    writeFileSync(p4info, writeP4InfoText(program.p4info));
    const parameters = `grpcaddr='127.0.0.1:50051';p4info='${p4info}';grpc_server='127.0.0.1';bfrt_grpc_port='50051';arch='${one.chip}'`;
    const words = ["--test-dir", testsOf(places.corpus, one), ...ptfInterfaces(PORTS)];
    return await run(places, [...words, "--test-params", parameters], folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await links.stop();
    links.close();
    await server.close();
    await device.close();
    clock.close();
  }
}

function run({ ptf, modules }: Places, words: readonly string[], folder: string) {
  const environment = { ...process.env, PYTHONPATH: `${import.meta.dirname}:${modules}` };
  const child = spawn(ptf, [...words], { cwd: folder, env: environment, timeout: TIMEOUT_MS });
  let output = "";
  const heard = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on("data", heard);
  child.stderr.on("data", heard);
  return new Promise<{ output: string; failed?: string }>((done) => {
    child.on("close", (code, signal) => {
      const error = output
        .split("\n")
        .findLast((line) => /^\w*(Error|Exception)\b|^AssertionError/.test(line));
      done(code === 0 ? { output } : { output, failed: error ?? `ends with ${code ?? signal}` });
    });
    child.on("error", (error) => done({ output, failed: error.message }));
  });
}

async function main(): Promise<void> {
  const { CORPUS: corpus, MODULES: modules, PTF: ptf } = process.env;
  const names = process.argv.slice(2);
  if (corpus === undefined || modules === undefined || ptf === undefined || !existsSync(ptf)) {
    process.stdout.write("skipped: CORPUS, MODULES or PTF is not given, or there is no PTF\n");
    return;
  }
  execFileSync("ip", ["link", "set", "lo", "up"]);
  const seen = new Set<string>();
  const results: Result[] = [];
  for (const one of readCases(corpus)) {
    if (one.repo !== "p4lang/bf-p4c" || !existsSync(testsOf(corpus, one)) || seen.has(one.path)) continue;
    seen.add(one.path);
    if (names.length > 0 && !names.some((part) => one.path.includes(part))) continue;
    const { output, failed } = await play(one, { corpus, modules, ptf });
    if (names.length > 0) process.stdout.write(output);
    process.stdout.write(`${one.path}: ${failed ?? "passes"}\n`);
    results.push({ judge: "ptf", program: one.path, test: one.path, expects: true, ...given({ failed }) });
  }
  if (names.length === 0)
    writeFileSync(join(corpus, "ptf.jsonl"), results.map((one) => `${JSON.stringify(one)}\n`).join(""));
}

await main();
