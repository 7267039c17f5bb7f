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
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Diagnostics, given } from "../../../src/base/index.js";
import { loadProgram } from "../../../src/toolchain/loading/index.js";
import { type Case, chipDefines, programFile, readCases, searchPath } from "../corpus.js";
import type { Result } from "../packets.js";
import { type Played, playPtf } from "./play.js";

const PORTS = [0, 1, 2, 3, 4, 5, 6, 7, 8];

interface Places {
  readonly corpus: string;
  readonly modules: string;
  readonly ptf: string;
}

const testsOf = (corpus: string, one: Case): string => programFile(corpus, one).replace(/\.p4$/, ".ptf");

/** What PTF printed, and why the tests failed, if they did. */
async function play(one: Case, places: Places): Promise<Played> {
  const path = programFile(places.corpus, one);
  const define = [...chipDefines(one.chip), ...one.defines];
  const files = { path, include: searchPath(places.corpus, one), define };
  const { program, bfrt } = await loadProgram(files, new Diagnostics(), "ignore");
  const schema = await bfrt?.();
  return playPtf(program, given({ schema }), {
    ...places,
    tests: testsOf(places.corpus, one),
    ports: PORTS,
    name: basename(path, ".p4"),
    parameters: `;grpc_server='127.0.0.1';bfrt_grpc_port='50051';arch='${one.chip}'`,
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
