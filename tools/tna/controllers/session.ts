/** One controller: the switch with its program, the controller as it is, then packets that show what it installed. */
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { Diagnostics, fromHex, given, toHex } from "../../../src/base/index.js";
import { WallClock } from "../../../src/toolchain/daemon/index.js";
import { loadProgram } from "../../../src/toolchain/loading/index.js";
import { serve } from "../../../src/toolchain/p4runtime/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { chipDefines, readCases, searchPath } from "../corpus.js";
import { linksOf, ptfInterfaces } from "../links.js";
import type { Controller, Exchange } from "./cases.js";

export interface Places {
  readonly corpus: string;
  readonly bfrt: string;
  readonly python: string;
}

/** What a controller printed; why it did not run, or what the program did not do then. */
export interface Outcome {
  readonly output: string;
  readonly failed?: string;
}

const TIMEOUT_MS = 120_000;

export async function runController(one: Controller, places: Places): Promise<Outcome> {
  const repository = join(places.corpus, one.repo.replace("/", "+"));
  const path = join(repository, one.program);
  const listed = readCases(places.corpus).find(
    ({ repo, path: at }) => repo === one.repo && at === one.program,
  );
  const include = listed === undefined ? [dirname(path)] : searchPath(places.corpus, listed);
  const define = [...chipDefines(listed?.chip ?? "tofino"), ...(listed?.defines ?? [])];
  const { program, bfrt } = await loadProgram({ path, include, define }, new Diagnostics(), "ignore");
  const schema = await bfrt?.();
  if (schema === undefined) return { output: "", failed: "the program has no schema of BF Runtime" };
  const [address = "127.0.0.1", port = "50052"] = (one.address ?? "127.0.0.1:50052").split(":");
  if (!address.startsWith("127.")) execFileSync("ip", ["addr", "replace", `${address}/32`, "dev", "lo"]);
  const left: string[] = [];
  const clock = new WallClock((fault) => {
    throw fault;
  });
  const device = new Switch(program, {
    clock,
    transmit: (to, frame) => {
      left.push(`${to} ${toHex(frame)}`);
      links?.send(to, frame);
    },
  });
  const links = one.ptf === undefined ? undefined : linksOf(one.ptf.ports, device);
  links?.start();
  const server = await serve(device, {
    address: `${address === "127.0.0.1" ? "0.0.0.0" : address}:${port}`,
    bfrt: { name: one.bind ?? basename(path).replace(/\.p4$/, ""), schema },
  });
  // A copy: what a controller writes beside itself does not get into the corpus.
  const scratch = mkdtempSync(join(tmpdir(), "controller-"));
  const copy = join(scratch, "repository");
  const [bfrtFolder = ""] = places.bfrt.split(":");
  try {
    const modules = join(scratch, "lib/python3/site-packages");
    mkdirSync(modules, { recursive: true });
    symlinkSync(resolve(bfrtFolder), join(modules, "tofino"));
    cpSync(repository, copy, { recursive: true, filter: (from) => !/\.(pcap|tar|gz|pdf|png)$/.test(from) });
    for (const [name, text] of Object.entries(one.files ?? {})) writeFileSync(join(copy, name), text);
    const play = (exchanges: readonly Exchange[]): string | undefined =>
      (one.makes === undefined ? undefined : made(left, one.makes)) ?? played(device, left, exchanges);
    return await controlled(one, copy, places, play);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
    await links?.stop();
    links?.close();
    await server.close();
    await device.close();
    clock.close();
  }
}

/** Of packets that nobody sent to the switch. */
function made(left: readonly string[], like: string): string | undefined {
  const [port, bytes = ""] = like.split(" ");
  const other = left.find((line) => !matches(`${port} ${bytes}`, line));
  if (left.length === 0) return `no packet leaves, expected ${like}`;
  return other === undefined ? undefined : `[${other}] leaves, expected ${like}`;
}

function played(device: Switch, left: string[], exchanges: readonly Exchange[]): string | undefined {
  for (const [i, { port, packet, expect }] of exchanges.entries()) {
    left.length = 0;
    device.receive(port, fromHex(packet.replaceAll(" ", ""))!);
    const wanted = expect.map((line) =>
      line
        .replace(/^(\S+) /, "$1:")
        .replaceAll(" ", "")
        .replace(":", " "),
    );
    const same = left.length === wanted.length && wanted.every((line, at) => matches(line, left[at]!));
    if (!same)
      return `packet ${i + 1} at port ${port}: [${left.join(", ")}], expected [${wanted.join(", ")}]`;
  }
  return undefined;
}

/** `*` stands for a hexadecimal digit of any value. */
function matches(wanted: string, found: string): boolean {
  return (
    wanted.length === found.length && [...wanted].every((digit, i) => digit === "*" || digit === found[i])
  );
}

/** The controller itself, or PTF with its tests. */
function command(one: Controller, copy: string, python: string): string[] {
  const file = join(copy, one.controller);
  if (one.ptf === undefined) return [python, file, ...(one.args ?? [])];
  const { ports, tests = [] } = one.ptf;
  return [
    join(dirname(python), "ptf"),
    "--test-dir",
    file,
    ...tests,
    ...ptfInterfaces(ports),
    "--test-params",
    "arch='tofino';target='asic-model';num_pipes=4;test_seed='1'",
    ...(one.args ?? []),
  ];
}

async function controlled(
  one: Controller,
  copy: string,
  { bfrt, python }: Places,
  play: (exchanges: readonly Exchange[]) => string | undefined,
): Promise<Outcome> {
  const file = join(copy, one.controller);
  const home = one.ptf === undefined ? dirname(file) : file;
  const [program = "", ...args] = command(one, copy, python);
  const process_ = spawn(program, args, {
    cwd: one.folder === undefined ? home : join(copy, one.folder),
    env: {
      ...process.env,
      PYTHONPATH: [home, ...(one.modules ?? []).map((folder) => join(copy, folder)), bfrt].join(":"),
      PYTHONUNBUFFERED: "1",
      SDE: dirname(copy),
      SDE_INSTALL: dirname(copy),
      ...one.environment,
    },
  });
  let output = "";
  const heard = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  process_.stdout.on("data", heard);
  process_.stderr.on("data", heard);
  process_.stdin.end(one.input ?? "");
  const ended = new Promise<number | string>((done) => {
    process_.on("exit", (code, signal) => done(code ?? signal ?? 1));
    process_.on("error", (error) => done(error.message));
  });
  const timer = setTimeout(() => process_.kill("SIGKILL"), TIMEOUT_MS);
  const ready = one.ready;
  try {
    if (ready !== undefined) {
      // A controller that never ends: it prints this line when it has installed what it installs at first.
      const isReady = await Promise.race([ended.then(() => false), until(() => output.includes(ready))]);
      if (!isReady) return { output, failed: `ends before it prints "${ready}": ${lastLine(output)}` };
      await pause(500);
      const failed = play(one.shows ?? []);
      await pause(1000);
      const after = failed ?? (one.then === undefined ? undefined : play(one.then));
      const missing = one.prints?.find((text) => !output.includes(text));
      return {
        output,
        ...given({ failed: after ?? (missing === undefined ? undefined : `does not print "${missing}"`) }),
      };
    }
    const status = await ended;
    if (status !== (one.status ?? 0)) return { output, failed: `ends with ${status}: ${lastLine(output)}` };
    return { output, ...given({ failed: play(one.shows ?? []) }) };
  } finally {
    clearTimeout(timer);
    process_.kill("SIGKILL");
  }
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

async function until(isTrue: () => boolean): Promise<boolean> {
  while (!isTrue()) await pause(50);
  return true;
}
