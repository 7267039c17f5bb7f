/**
 * `make golden-rivals`: replays the recordings of `test/golden` through the real p4c and BMv2, and reports what differs.
 *
 *     npx tsx tools/golden-rivals.ts [--update] [NAME ...]
 *
 * p4c: `p4c-bm2-ss` compiles NAME.p4; BMv2 JSON and P4Info are compared as documents, without the names and versions that p4c
 * writes into them. BMv2: `simple_switch_grpc` runs NAME.json on pcap files, `simple_switch_CLI` plays config.txt, then the
 * frames of packets.json arrive one after another; the output is compared port by port. Both are found on PATH or by
 * P4LOOM_P4C and P4LOOM_BMV2. `--update` rewrites the files of p4c, and the outputs in packets.json where exactly one
 * packet can have caused a difference.
 *
 * Exit status 0: all replayed recordings agree; 1: there is a difference, or nothing could be replayed.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { fromHex, toHex } from "../src/base/index.js";
import { encodePcap, PcapDecoder } from "../src/base/packets/index.js";
import { BMV2, P4C } from "../test/parity/bmv2.js";

const golden = resolve(import.meta.dirname, "../test/golden");

/** One line of packets.json: an input frame, and the output frames before the next input. */
interface Stimulus {
  in: { port: number; hex: string };
  out: { port: number; hex: string }[];
}

/** Time between two input frames, in ns: the switch completes one before the next. */
const GAP_NS = 5e6;
/** The switch starts to read its files after this number of seconds; its tables are written before. */
const WAIT_S = 4;

function jsonWithoutNames(text: string): unknown {
  const document = JSON.parse(text, (key, value) => (key === "source_info" ? undefined : value));
  for (const key of ["program", "__meta__"]) delete document[key];
  return document;
}

function compareP4c(name: string, folder: string, update: boolean): string[] {
  const work = mkdtempSync(join(tmpdir(), "p4loom-golden-"));
  try {
    const files = [`${name}.json`, `${name}.p4info.txtpb`].filter((file) => existsSync(join(folder, file)));
    execFileSync(
      P4C!,
      [
        `${name}.p4`,
        "-o",
        join(work, `${name}.json`),
        "--p4runtime-files",
        join(work, `${name}.p4info.txtpb`),
      ],
      { cwd: folder, stdio: "pipe" },
    );
    return files.flatMap((file) => {
      const [now, before] = [work, folder].map((place) => readFileSync(join(place, file), "utf8"));
      const same = file.endsWith(".json")
        ? isDeepStrictEqual(jsonWithoutNames(now!), jsonWithoutNames(before!))
        : now === before;
      if (same) return [];
      if (update) writeFileSync(join(folder, file), now!);
      return [`${file} differs${update ? ", rewritten" : ""}`];
    });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function onPath(program: string): string | undefined {
  return (process.env["PATH"] ?? "")
    .split(delimiter)
    .concat(BMV2 === undefined ? [] : dirname(BMV2))
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path));
}

const CLI = onPath("simple_switch_CLI");

async function compareBmv2(name: string, folder: string, update: boolean): Promise<string[]> {
  const path = join(folder, "packets.json");
  const stimuli: Stimulus[] = JSON.parse(readFileSync(path, "utf8"));
  const configuration = join(folder, "config.txt");
  const commands = existsSync(configuration) ? readFileSync(configuration, "utf8") : "";
  if (commands.trim() !== "" && CLI === undefined)
    throw new Error("not replayed: its config.txt needs simple_switch_CLI");
  const ports = [...new Set(stimuli.flatMap((s) => [s.in, ...s.out]).map(({ port }) => port))].sort(
    (a, b) => a - b,
  );
  const sent = await play(join(folder, `${name}.json`), stimuli, ports, commands);
  const wrong: string[] = [];
  for (const port of ports) {
    const expected = stimuli.flatMap((s) =>
      s.out.filter((frame) => frame.port === port).map(({ hex }) => hex),
    );
    const left = sent.get(port)!;
    const at = expected.findIndex((hex, i) => hex !== left[i]);
    if (at < 0 && left.length === expected.length) continue;
    wrong.push(
      `port ${port}: ${left.length} frames left, ${expected.length} recorded; first difference at frame ${at < 0 ? expected.length : at}`,
    );
  }
  if (wrong.length === 0 || !update) return wrong;
  return [...wrong, rewrite(path, stimuli, sent)];
}

/** Rewrites the recorded outputs if every port still sends the same number of frames, so that the input of each is known. */
function rewrite(path: string, stimuli: Stimulus[], sent: ReadonlyMap<number, string[]>): string {
  const next = new Map([...sent.keys()].map((port) => [port, 0]));
  const lines = stimuli.map((stimulus) => ({
    in: stimulus.in,
    out: stimulus.out.map(({ port }) => {
      const at = next.get(port)!;
      next.set(port, at + 1);
      return { port, hex: sent.get(port)![at] };
    }),
  }));
  if ([...next].some(([port, count]) => sent.get(port)!.length !== count))
    return "not rewritten: the number of frames has changed, so their stimuli are not known";
  writeFileSync(path, `[\n${lines.map((line) => JSON.stringify(line)).join(",\n")}\n]\n`);
  return "packets.json rewritten";
}

/** The frames that leave each port, as hex, in their order. */
async function play(
  json: string,
  stimuli: readonly Stimulus[],
  ports: readonly number[],
  commands: string,
): Promise<Map<number, string[]>> {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-golden-"));
  let child: ChildProcess | undefined;
  try {
    for (const port of ports) {
      const frames = stimuli.flatMap((stimulus, i) =>
        stimulus.in.port === port
          ? [
              {
                frame: fromHex(stimulus.in.hex)!,
                seconds: 1 + Math.floor((i * GAP_NS) / 1e9),
                nanoseconds: (i * GAP_NS) % 1e9,
              },
            ]
          : [],
      );
      writeFileSync(join(folder, `p${port}_in.pcap`), encodePcap(frames));
    }
    const thrift = CLI === undefined ? [] : ["--thrift-port", `${await freePort()}`];
    const interfaces = ports.flatMap((port) => ["-i", `${port}@p${port}`]);
    child = spawn(
      BMV2!,
      [
        ...["--use-files", `${WAIT_S}`],
        ...interfaces,
        ...thrift,
        json,
        "--",
        "--grpc-server-addr",
        `unix:${folder}/grpc`,
      ],
      { cwd: folder, stdio: "ignore" },
    );
    if (commands.trim() !== "") {
      await sleep(1000);
      execFileSync(CLI!, thrift, { input: commands, stdio: "pipe" });
    }
    const total = stimuli.reduce((sum, { out }) => sum + out.length, 0);
    await sleep(WAIT_S * 1000 + (stimuli.length * GAP_NS) / 1e6);
    let before = -1;
    for (let rounds = 0; rounds < 40; rounds++) {
      const sent = readSent(folder, ports);
      const count = [...sent.values()].reduce((sum, frames) => sum + frames.length, 0);
      if (count >= total && count === before) return sent;
      before = count;
      await sleep(250);
    }
    return readSent(folder, ports);
  } finally {
    child?.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

function readSent(folder: string, ports: readonly number[]): Map<number, string[]> {
  return new Map(
    ports.map((port) => {
      const path = join(folder, `p${port}_out.pcap`);
      const decoder = new PcapDecoder(path);
      decoder.push(existsSync(path) ? readFileSync(path) : new Uint8Array(0));
      const frames: string[] = [];
      for (let packet = decoder.next(); packet !== undefined; packet = decoder.next())
        frames.push(toHex(packet.frame));
      return [port, frames];
    }),
  );
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

async function main(args: readonly string[]): Promise<number> {
  const update = args.includes("--update");
  const chosen = args.filter((arg) => !arg.startsWith("--"));
  const names = readdirSync(golden).filter((name) => chosen.length === 0 || chosen.includes(name));
  if (P4C === undefined) console.log("p4c: not replayed, no p4c-bm2-ss on PATH or in P4LOOM_P4C");
  if (BMV2 === undefined) console.log("BMv2: not replayed, no simple_switch_grpc on PATH or in P4LOOM_BMV2");
  let [replayed, different] = [0, 0];
  for (const name of names) {
    const folder = join(golden, name);
    const jobs: [string, () => string[] | Promise<string[]>][] = [];
    if (P4C !== undefined && existsSync(join(folder, `${name}.json`)))
      jobs.push(["p4c", () => compareP4c(name, folder, update)]);
    if (BMV2 !== undefined && existsSync(join(folder, "packets.json")))
      jobs.push(["BMv2", () => compareBmv2(name, folder, update)]);
    for (const [rival, job] of jobs) {
      try {
        const wrong = await job();
        replayed++;
        if (wrong.length > 0) different++;
        console.log(
          `${name}: ${rival} ${wrong.length === 0 ? "agrees" : `differs\n  ${wrong.join("\n  ")}`}`,
        );
      } catch (error) {
        console.log(`${name}: ${rival} ${(error as Error).message.split("\n")[0]}`);
      }
    }
  }
  console.log(`${replayed} replayed, ${different} differ`);
  return replayed > 0 && different === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
