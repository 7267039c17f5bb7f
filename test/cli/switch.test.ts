/** `p4loom switch`: packets from pcap files through a program to pcap files, with a controller beside them. */

import { spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Command, CommanderError } from "commander";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  type Diagnostic,
  DiagnosticError,
  Diagnostics,
  formatDiagnostic,
  fromHex,
  toHex,
} from "../../src/base/index.js";
import { decodePcap, encodePcap } from "../../src/base/packets/index.js";
import { checkArguments } from "../../src/cli/switch/check-options.js";
import { defineSwitch, type SwitchArguments, switchArgv } from "../../src/cli/switch/switch-options.js";
import { loadAndRunSwitch } from "../../src/cli/switch.js";
import type { Update } from "../../src/toolchain/device/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import { type ConnectOptions, connect } from "../../src/toolchain/p4runtime/index.js";
import { COMMAND } from "../built-command.js";
import { namesProgram } from "../toolchain/p4runtime/names-program.js";

const root = resolve(import.meta.dirname, "../..");
const golden = (name: string) => join(root, "test/golden", name);
const tls = (name: string) => join(root, "test/toolchain/p4runtime/tls", name);

interface Stimulus {
  in: { port: number; hex: string };
  out: { port: number; hex: string }[];
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "p4loom-switch-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** As `main.ts` reads a command line. */
function parse(...words: string[]): { programs: readonly string[]; args: SwitchArguments } {
  const top = new Command("p4loom").exitOverride().configureOutput({ writeErr: () => {} });
  let parsed: { programs: readonly string[]; args: SwitchArguments } | undefined;
  const command = defineSwitch(
    top
      .command("switch")
      .exitOverride()
      .configureOutput({ writeErr: () => {} }),
  );
  command.action((_first: string | undefined, args: SwitchArguments, own: Command) => {
    parsed = { programs: own.args, args };
  });
  top.parse(switchArgv(["node", "p4loom", "switch", ...words]));
  return parsed!;
}

/** What the command line is refused with: one line a diagnostic, and its first note. */
function refusal(...words: string[]): string[] {
  try {
    const { programs, args } = parse(...words);
    checkArguments(programs, args);
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return error.diagnostics.map((diagnostic) => formatDiagnostic(diagnostic));
  }
  throw new Error("was accepted");
}

/** Starts a switch in this process; it is stopped when the test ends. */
function launch(...words: string[]) {
  const { programs, args } = parse(...words);
  const stop = new AbortController();
  const printed: string[] = [];
  const reported: Diagnostic[] = [];
  let announce: (address: string | undefined) => void;
  const ready = new Promise<string | undefined>((resolve) => {
    announce = resolve;
  });
  const waits: { ms: number; end: () => void }[] = [];
  const ended = loadAndRunSwitch(checkArguments(programs, args), {
    print: (text) => printed.push(text),
    report: (list) => reported.push(...list),
    now: () => 1_700_000_000_123.456,
    wait: (ms) => new Promise((end) => (ms === 0 ? end() : waits.push({ ms, end }))),
    stop: stop.signal,
    ready: (address) => announce(address),
  });
  onTestFinished(async () => {
    stop.abort("the test ended");
    for (const { end } of waits) end();
    await ended.catch(() => {});
  });
  return { ready, ended, stop, reported, waits, output: () => printed.join("") };
}

async function failure(task: Promise<unknown>): Promise<string> {
  try {
    await task;
  } catch (error) {
    if (error instanceof DiagnosticError) return error.message;
    throw error;
  }
  throw new Error("ended without a complaint");
}

async function controller(address: string | undefined, options: ConnectOptions = {}) {
  const client = await connect(address!, { deviceId: 0n, timeoutMs: 60_000, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** Writes inputs for the ports p0, p1... of a folder; frame i carries the time i ms. */
function writeInputs(dir: string, ports: number, frames: readonly { port: number; hex: string }[]): string[] {
  const words: string[] = [];
  for (let port = 0; port < ports; port++) {
    const packets = frames.flatMap(({ hex, ...frame }, i) =>
      frame.port === port ? [{ seconds: 7, nanoseconds: i * 1e6, frame: fromHex(hex)! }] : [],
    );
    writeFileSync(join(dir, `p${port}_in.pcap`), encodePcap(packets, { nanoseconds: port % 2 === 1 }));
    words.push("-i", `${port}@${join(dir, `p${port}`)}`);
  }
  return words;
}

/** Sends frames to host n out of port n, in the program L2. */
const hostEntry = (n: number): Update => ({
  type: "insert",
  entity: {
    kind: "tableEntry",
    table: "TheIngress.hosts",
    match: [{ kind: "exact", field: "hdr.eth.dst", value: 0x020000000000n + BigInt(n) }],
    priority: 0,
    action: { kind: "action", action: "TheIngress.forward", params: { port: BigInt(n) } },
  },
});

const frames = (path: string): string[] =>
  decodePcap(readFileSync(path), path).map(({ frame }) => toHex(frame));

describe("p4loom switch", () => {
  it("sends every recorded packet of BMv2 from pcap files to the same pcap files", async () => {
    const dir = folder();
    const stimuli = JSON.parse(readFileSync(join(golden("l3"), "packets.json"), "utf8")) as Stimulus[];
    const ports = 16;
    expect(stimuli.length).toBeGreaterThan(20);
    const words = writeInputs(
      dir,
      ports,
      stimuli.map((stimulus) => stimulus.in),
    );
    const run = launch(
      join(golden("l3"), "l3.json"),
      ...["--commands", join(golden("l3"), "config.txt")],
      ...["--use-files", "0", "--exit-when-done", ...words, `--pcap=${join(dir, "capture")}`],
      ...["--", "--grpc-server-addr", "none"],
    );
    await run.ended;
    expect(run.reported).toEqual([]);
    for (let port = 0; port < ports; port++) {
      const wanted = stimuli.flatMap(({ out }) =>
        out.filter((frame) => frame.port === port).map(({ hex }) => hex),
      );
      expect(frames(join(dir, `p${port}_out.pcap`))).toEqual(wanted);
      const capture = (side: string) => readFileSync(join(dir, "capture", `p${port}_${side}.pcap`));
      expect(capture("out").equals(readFileSync(join(dir, `p${port}_out.pcap`)))).toBe(true);
      expect(decodePcap(capture("in"), "in").map(({ frame }) => toHex(frame))).toEqual(
        stimuli.filter((stimulus) => stimulus.in.port === port).map((stimulus) => stimulus.in.hex),
      );
    }
  });

  it("forwards as the entries of a P4Runtime controller say, compiled from source", async () => {
    const dir = folder();
    const frame = (n: number) =>
      `0200000000${n.toString(16).padStart(2, "0")}0200000000aa0800${"00".repeat(20)}`;
    const words = writeInputs(
      dir,
      3,
      [1, 2, 1].map((n) => ({ port: 0, hex: frame(n) })),
    );
    writeFileSync(join(dir, "l2.p4"), L2);
    const run = launch(
      join(dir, "l2.p4"),
      ...["--use-files", "1.5", "--exit-when-done", ...words, "--device-id", "5"],
      ...["--grpc-server-addr", "127.0.0.1:0", "--log-console", "-L", "info", "--dump-packet-data", "6"],
    );
    const address = await run.ready;
    const client = await controller(address, { deviceId: 5n });
    await client.write([1, 2].map(hostEntry));
    expect(run.waits.map(({ ms }) => ms)).toEqual([1500]);
    run.waits[0]!.end();
    await run.ended;
    expect([0, 1, 2].map((port) => frames(join(dir, `p${port}_out.pcap`)))).toEqual([
      [],
      [frame(1), frame(1)],
      [frame(2)],
    ]);
    expect(decodePcap(readFileSync(join(dir, "p2_out.pcap")), "p2")[0]).toMatchObject({
      seconds: 1_700_000_000,
      nanoseconds: 123_456_000,
    });
    const lines = run.output().trim().split("\n");
    expect(lines).toContain(`Server listening on ${address}`);
    const time = "[22:13:20.123] [p4loom] [I]";
    expect(lines).toContain(`${time} port 2 out: 6 of 34 bytes: 020000000002`);
    expect(lines).toContain(`${time} 3 packets came in, 3 left, 0 were dropped`);
  });

  it("starts empty and runs the program that a controller sends", async () => {
    const dir = folder();
    const frame = `0200000000010200000000aa0800${"00".repeat(20)}`;
    const words = writeInputs(dir, 2, [{ port: 0, hex: frame }]);
    const run = launch(
      "--no-p4",
      "--use-files",
      "9",
      "--exit-when-done",
      ...words,
      "--grpc-server-addr",
      "127.0.0.1:0",
    );
    const client = await controller(await run.ready);
    expect(client.program).toBeUndefined();
    const compiled = compile({ file: L2 }, new Diagnostics());
    await client.load(compiled!.program);
    await client.write([hostEntry(1)]);
    run.waits[0]!.end();
    await run.ended;
    expect([0, 1].map((port) => frames(join(dir, `p${port}_out.pcap`)))).toEqual([[], [frame]]);
  });

  it("takes packet-outs and writes what they become; a stop loses nothing", async () => {
    const dir = folder();
    const words = writeInputs(dir, 8, []);
    const run = launch(
      join(golden("cpu"), "cpu.json"),
      ...[
        "--use-files",
        "0",
        ...words,
        "--cpu-port",
        "255",
        "--grpc-server-addr",
        "127.0.0.1:0",
        "--log-console",
      ],
    );
    const client = await controller(await run.ready);
    const info = client.program!.p4info.controllerPacketMetadata;
    const out = info.find(({ preamble }) => preamble?.name === "packet_out")!;
    const metadata = Object.fromEntries(out.metadata.map(({ name }) => [name, 0n]));
    const port = out.metadata.find(({ name }) => /port/.test(name))!.name;
    const payload = fromHex(`020000000001020000000002${"88b5"}${"ab".repeat(30)}`)!;
    for (let i = 0; i < 50; i++) await client.packetOut({ payload, metadata: { ...metadata, [port]: 3n } });
    await vi.waitFor(() => expect(run.output().split("port 3 out").length).toBe(51), {
      timeout: 60_000,
      interval: 1,
    });
    run.stop.abort("SIGTERM");
    await run.ended;
    expect(frames(join(dir, "p3_out.pcap"))).toEqual(Array(50).fill(toHex(payload)));
  });

  it("lets packets leave slow queues before it ends", async () => {
    const dir = folder();
    const stimuli = JSON.parse(readFileSync(join(golden("l3"), "packets.json"), "utf8")) as Stimulus[];
    const { in: input, out } = stimuli.find(({ in: { port }, out }) => port === 0 && out.length === 1)!;
    const words = writeInputs(dir, 16, Array(10).fill(input));
    const commands = `${readFileSync(join(golden("l3"), "config.txt"), "utf8")}\nset_queue_rate 200\n`;
    writeFileSync(join(dir, "commands.txt"), commands);
    await launch(
      join(golden("l3"), "l3.json"),
      ...["--commands", join(dir, "commands.txt"), "--use-files", "0", "--exit-when-done", ...words],
      ...["--grpc-server-addr", "none"],
    ).ended;
    expect(frames(join(dir, `p${out[0]!.port}_out.pcap`))).toEqual(Array(10).fill(out[0]!.hex));
  });

  it("checks certificates as the flags say", async () => {
    const run = launch(
      "--no-p4",
      ...["--grpc-server-addr", "localhost:0", "--grpc-server-ssl", "--grpc-server-with-client-auth"],
      ...["--grpc-server-cert", tls("server.pem"), "--grpc-server-key", tls("server.key")],
      ...["--grpc-server-cacert", tls("ca.pem")],
    );
    const address = await run.ready;
    const read = (name: string) => readFileSync(tls(name), "utf8");
    const known = { ca: read("ca.pem"), certificate: read("client.pem"), privateKey: read("client.key") };
    await controller(address, { tls: known });
    await expect(connect(address!, { deviceId: 0n, timeoutMs: 1500 })).rejects.toMatchObject({
      code: "UNAVAILABLE",
    });
  });

  it("lets controllers name ports as -i does", async () => {
    const dir = folder();
    const words = writeInputs(dir, 2, []);
    const address = ["--grpc-server-addr", "127.0.0.1:0", "--cpu-port", "9"];
    const run = launch("--no-p4", "--use-files", "0", ...words, ...address);
    const client = await controller(await run.ready);
    await client.load(namesProgram());
    // By what stands behind the @ of -i.
    const name = join(dir, "p1");
    expect(client.names!.name("port_id_t", client.names!.number("port_id_t", name))).toBe(name);
    const group = (port: number): Update => ({
      type: "insert",
      entity: { kind: "multicastGroup", groupId: port + 1, replicas: [{ port, instance: 0 }] },
    });
    const { names } = client;
    await client.write([group(Number(names!.number("port_id_t", name)))]);
    // A port without an interface may be named as well.
    await client.write([group(Number(names!.number("port_id_t", "3")))]);
  });

  it("takes a JSON without P4Info, and says what that means", async () => {
    const dir = folder();
    copyFileSync(join(golden("l3"), "l3.json"), join(dir, "l3.json"));
    const run = launch(
      join(dir, "l3.json"),
      "--use-files",
      "0",
      "--exit-when-done",
      "--grpc-server-addr",
      "none",
    );
    await run.ended;
    expect(run.reported.map(({ code, severity }) => `${severity} ${code}`)).toEqual(["warning P40018"]);
  });

  it("starts new log files when they are full, and keeps the requested number", async () => {
    const dir = folder();
    const words = writeInputs(
      dir,
      1,
      Array.from({ length: 40 }, () => ({ port: 0, hex: "00".repeat(64) })),
    );
    await launch(
      join(golden("l3"), "l3.json"),
      ...["--use-files", "0", "--exit-when-done", "--grpc-server-addr", "none", ...words],
      ...["--log-file", join(dir, "log"), "--log-file-max-size", "1024", "--log-file-max-files", "2"],
    ).ended;
    const logs = readdirSync(dir).filter((name) => name.startsWith("log"));
    expect(logs.sort()).toEqual(["log.1.txt", "log.2.txt", "log.txt"]);
    const sizes = logs.map((name) => readFileSync(join(dir, name)).length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1024);
    expect(readFileSync(join(dir, "log.txt"), "utf8")).toMatch(/40 packets came in.*\n$/);
  });

  it.each(["127.0.0.1:0", "none"])(
    "ends with status 0 on SIGTERM, its files complete; server: %s",
    async (address) => {
      const dir = folder();
      const words = writeInputs(dir, 1, [{ port: 0, hex: "00".repeat(64) }]);
      const child = spawn(
        process.execPath,
        [
          ...[COMMAND, "switch", join(golden("l3"), "l3.json"), "--log-console", ...words],
          ...["--use-files", "0", "--", "--grpc-server-addr", address],
        ],
        { cwd: root, stdio: ["ignore", "pipe", "inherit"] },
      );
      onTestFinished(() => {
        child.kill("SIGKILL");
      });
      let text = "";
      let signals: NodeJS.Timeout | undefined;
      onTestFinished(() => clearInterval(signals));
      const status = await new Promise((resolve) => {
        child.stdout.on("data", (piece) => {
          text += piece;
          // Again and again to its last moment: a terminal and npm send two between them.
          if (!text.includes("end of all input files")) return;
          // It continues without packets until then.
          signals ??= setInterval(() => child.kill("SIGTERM"), 1);
        });
        child.on("close", (code, signal) => resolve(code ?? signal));
      });
      expect(status).toBe(0);
      expect(text).toContain("stopping: SIGTERM");
      expect(text).toMatch(/1 packets came in, \d left, \d were dropped\n$/);
      expect(decodePcap(readFileSync(join(dir, "p0_out.pcap")), "p0").length).toBeLessThanOrEqual(1);
    },
    30_000,
  );

  it("ends cleanly when the reader of its log is gone", async () => {
    const dir = folder();
    const words = writeInputs(dir, 1, Array(2000).fill({ port: 0, hex: "00".repeat(64) }));
    const child = spawn(
      process.execPath,
      [
        ...[COMMAND, "switch", join(golden("l3"), "l3.json"), "--log-console", ...words],
        ...["--use-files", "0", "--grpc-server-addr", "none", `--pcap=${join(dir, "capture")}`],
      ],
      { cwd: root, stdio: ["ignore", "pipe", "inherit"] },
    );
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    child.stdout.once("data", () => child.stdout.destroy());
    expect(await new Promise((resolve) => child.on("close", (code, signal) => resolve(code ?? signal)))).toBe(
      0,
    );
    // Some packets were taken, or none: what is written is whole.
    const taken = frames(join(dir, "capture", "p0_in.pcap"));
    expect(taken).toEqual(Array(taken.length).fill("00".repeat(64)));
  });
});

describe("what the switch refuses", () => {
  it("reads the command line of simple_switch_grpc", () => {
    const { programs, args } = parse(
      ...[
        "-i",
        "1@a",
        "-i2@b",
        "--pcap",
        "--thrift-port",
        "9090",
        "--nanolog",
        "ipc:///tmp/x",
        "--log-console",
      ],
      ...["-L", "debug", "--log-flush", "--device-id", "3", "--use-files=2", "prog.json"],
      ...["--", "--grpc-server-addr", "0.0.0.0:50051", "--cpu-port", "0xff", "--disable-swap"],
    );
    expect(programs).toEqual(["prog.json"]);
    expect(checkArguments(programs, args)).toMatchInlineSnapshot(`
      {
        "address": "0.0.0.0:50051",
        "captureFolder": ".",
        "cpuPort": 255,
        "deviceId": 3n,
        "dropPort": 511,
        "dumpBytes": 0,
        "exitWhenDone": false,
        "files": [
          {
            "input": "a_in.pcap",
            "name": "a",
            "output": "a_out.pcap",
            "port": 1,
          },
          {
            "input": "b_in.pcap",
            "name": "b",
            "output": "b_out.pcap",
            "port": 2,
          },
        ],
        "interfaces": [],
        "log": {
          "console": true,
          "level": "debug",
          "maxBytes": 5242880,
          "maxFiles": 3,
        },
        "priorityQueues": 1,
        "program": {
          "define": [],
          "include": [],
          "path": "prog.json",
        },
        "waitMs": 2000,
      }
    `);
  });

  // What simple_switch_grpc 1.15.5 reads the same way, or refuses (then it is noted).
  it.each<[words: string, means: object]>([
    ["x.json -i 1@a --pcap caps", { interfaces: [{ port: 1, name: "a", capture: captures("caps", "a") }] }],
    ["-i 1@a --pcap caps x.json", { interfaces: [{ port: 1, name: "a", capture: captures("caps", "a") }] }],
    ["x.json --pcap -i 1@a", { interfaces: [{ port: 1, name: "a", capture: captures(".", "a") }] }],
    ["x.json -i 1@a --pcap", { interfaces: [{ port: 1, name: "a", capture: captures(".", "a") }] }],
    // simple_switch_grpc takes the program for the folder, and then finds no such folder.
    ["-i 1@a --pcap x.json", { interfaces: [{ port: 1, name: "a", capture: captures(".", "a") }] }],
    ["--no-p4 -i 1@a --pcap=d", { interfaces: [{ port: 1, name: "a", capture: captures("d", "a") }] }],
    ["x.json --dev 3", { deviceId: 3n }],
    ["x.json --dev=3", { deviceId: 3n }],
    ["x.json --log-c --log-lev=warn", { log: { level: "warn", console: true } }],
    // Not the beginning of another option: it is one itself.
    ["x.json --log-file f", { log: { file: "f" } }],
    ["x.json --inter 1@a --drop 5", { interfaces: [{ port: 1, name: "a" }], dropPort: 5 }],
    // A value is not an option.
    ["x.json --commands --dev", { commands: "--dev" }],
    ["x.json -- --grpc-server-addr :50051", { address: "0.0.0.0:50051" }],
    ["x.json --grpc-server-addr ip6-localhost:50051", { address: "ip6-localhost:50051" }],
    ["x.json --grpc-server-addr [::1]:50051", { address: "[::1]:50051" }],
    ["x.json --grpc-server-addr unix:/run/x", { address: "unix:/run/x" }],
    ["x.json -i 1@a,rate=500000", { interfaces: [{ port: 1, name: "a", rateBps: 500_000 }] }],
    [
      "x.json -i 1@a,rate=5,netns=/run/netns/n",
      { interfaces: [{ port: 1, name: "a", rateBps: 5, namespace: "/run/netns/n" }] },
    ],
  ])("reads %s", (words, means) => {
    const { programs, args } = parse(...words.split(" "));
    expect(checkArguments(programs, args)).toMatchObject(means);
  });

  function captures(dir: string, name: string) {
    return { input: join(dir, `${name}_in.pcap`), output: join(dir, `${name}_out.pcap`) };
  }

  it("takes -v for --version", () => {
    expect(switchArgv(["node", "p4loom", "switch", "-v"]).slice(3)).toEqual(["--version"]);
    expect(switchArgv(["node", "p4loom", "net", "-v"]).slice(2)).toEqual(["net", "-v"]);
  });

  it("refuses unknown flags as wrong usage", () => {
    expect(() => parse("x.json", "--grpc-server-adr", "y")).toThrow(CommanderError);
  });

  it("says what is wrong with options", () => {
    const lines = [
      ["x.json", "-i", "1@eth0", "-i", "2@eth0"],
      ["x.json", "--use-files", "1", "-i", "1@a", "-i", "1@b", "-i", "512@c", "-i", "d"],
      ["x.json", "--use-files", "1", "-i", "255@a", "--cpu-port", "255"],
      ["x.json", "--use-files", "1", "-i", "511@a"],
      ["x.json", "--use-files", "1", "-i", "1@a", "-i", "2@a"],
      ["x.json", "--use-files", "1", "-i", "1@d/a", "-i", "2@e/a", "--pcap=f"],
      ["x.json", "--packet-in", "ipc:///x", "--dp-grpc-server-addr", "0.0.0.0:1"],
      [],
      ["x.json", "--no-p4"],
      ["--no-p4", "--commands", "c.txt"],
      ["x.txt"],
      ["x.p4", "--p4info", "x.txtpb"],
      ["x.json", "--cpu-port", "0"],
      ["x.json", "--device-id", "18446744073709551616"],
      ["x.json", "--use-files", "soon"],
      ["x.json", "--exit-when-done"],
      ["x.json", "-L", "loud"],
      ["x.json", "--grpc-server-addr", "9559"],
      ["x.json", "--grpc-server-addr", "127.0.0.1"],
      ["x.json", "y.json"],
      ["x.json", "--log-f", "f"],
      ["x.json", "--restore-state", "f", "--debugger-addr", "ipc:///x"],
      ["x.json", "-i", "1@a,rate=0", "-i", "2@b,rate=1,rate=2", "-i", "3@c,netns="],
      ["x.json", "--grpc-server-ssl", "--grpc-server-cert", "c.pem"],
      ["x.json", "--grpc-server-key", "k.pem"],
      [
        "x.json",
        "--grpc-server-ssl",
        "--grpc-server-cert",
        "c",
        "--grpc-server-key",
        "k",
        "--grpc-server-with-client-auth",
      ],
    ];
    const answers = lines.map((words) => [`$ ${words.join(" ")}`, ...refusal(...words)].join("\n"));
    expect(`\n${answers.join("\n")}\n`).toMatchInlineSnapshot(`
      "
      $ x.json -i 1@eth0 -i 2@eth0
      error[P40024]: interface eth0 is port 1 and port 2
      $ x.json --use-files 1 -i 1@a -i 1@b -i 512@c -i d
      error[P40012]: -i 1@b: port 1 is given twice, as a and as b
      error[P40012]: -i 512@c: ports of v1model have 9 bits: 0 to 511
      note: simple_switch takes 512, but to its program that is port 0
      error[P40012]: -i d: not NUMBER@NAME with a number from 0 to 511
      $ x.json --use-files 1 -i 255@a --cpu-port 255
      error[P40012]: -i 255@a: this is the CPU port, whose packets go over P4Runtime
      $ x.json --use-files 1 -i 511@a
      error[P40012]: -i 511@a: this is the drop port: no packet could leave by it
      $ x.json --use-files 1 -i 1@a -i 2@a
      error[P40017]: a_in.pcap is the input of port 1 and the input of port 2
      $ x.json --use-files 1 -i 1@d/a -i 2@e/a --pcap=f
      error[P40017]: f/a_in.pcap is the capture of what port 1 takes and the capture of what port 2 takes
      $ x.json --packet-in ipc:///x --dp-grpc-server-addr 0.0.0.0:1
      error[P40011]: --packet-in is not available here
      note: packets come from interfaces, or from files: -i 0@p0 --use-files 0
      error[P40011]: --dp-grpc-server-addr is not available here
      note: packets come from interfaces or files, or as packet-out through --cpu-port
      $ 
      error[P40016]: no program is named
      note: give a BMv2 JSON or a .p4 file, or --no-p4
      $ x.json --no-p4
      error[P40016]: --no-p4 beside the program x.json
      note: give one of the two
      $ --no-p4 --commands c.txt
      error[P40016]: --commands c.txt needs a program to run on
      $ x.txt
      error[P40005]: x.txt: neither .json (BMv2 JSON) nor .p4 (P4-16 source)
      $ x.p4 --p4info x.txtpb
      error[P40005]: --p4info x.txtpb: a .p4 program is compiled, which gives its P4Info
      $ x.json --cpu-port 0
      error[P40005]: --cpu-port 0: not a whole number from 1 to 511
      $ x.json --device-id 18446744073709551616
      error[P40005]: --device-id 18446744073709551616: not a whole number below 2^64
      $ x.json --use-files soon
      error[P40005]: --use-files soon: not a number of seconds from 0 to 86400
      $ x.json --exit-when-done
      error[P40005]: --exit-when-done needs --use-files: packets from interfaces never end
      $ x.json -L loud
      error[P40005]: --log-level loud: unknown
      note: write trace, debug, info, warn, error, off
      $ x.json --grpc-server-addr 9559
      error[P40005]: --grpc-server-addr 9559: not HOST:PORT
      note: as in 127.0.0.1:9559
      $ x.json --grpc-server-addr 127.0.0.1
      error[P40005]: --grpc-server-addr 127.0.0.1: a port is missing
      note: as in 127.0.0.1:9559; simple_switch_grpc uses port 443 then
      $ x.json y.json
      error[P40016]: 2 programs are named: x.json, y.json
      note: give one; a controller replaces it while the switch runs (SetForwardingPipelineConfig)
      $ x.json --log-f f
      error[P40005]: --log-f: may be --log-file, --log-file-max-size, --log-file-max-files, --log-flush
      note: write the option out
      $ x.json --restore-state f --debugger-addr ipc:///x
      error[P40011]: --restore-state is not available here
      note: write the entries with --commands FILE, or over P4Runtime
      error[P40011]: --debugger-addr is not available here
      note: use --trace FILE, and p4loom trace FILE to read it
      $ x.json -i 1@a,rate=0 -i 2@b,rate=1,rate=2 -i 3@c,netns=
      error[P40012]: -i 1@a,rate=0: rate=0: not a whole number of bits per second from 1 to 1000000000000
      error[P40012]: -i 2@b,rate=1,rate=2: rate is given twice
      error[P40012]: -i 3@c,netns=: netns= needs the name or the path of a network namespace
      $ x.json --grpc-server-ssl --grpc-server-cert c.pem
      error[P40013]: --grpc-server-ssl needs --grpc-server-key FILE
      $ x.json --grpc-server-key k.pem
      error[P40013]: --grpc-server-key needs --grpc-server-ssl: without it, the server uses no TLS
      $ x.json --grpc-server-ssl --grpc-server-cert c --grpc-server-key k --grpc-server-with-client-auth
      error[P40013]: --grpc-server-with-client-auth needs --grpc-server-cacert FILE
      "
    `);
  });

  it("refuses what is no program, where the file says so", async () => {
    const path = join(root, "test/bad/program/P41012-width-is-text.json");
    const text = await failure(launch(path, "--grpc-server-addr", "none").ended);
    expect(text).toMatch(/P41012-width-is-text\.json:\d+:\d+: error\[P41012\]: .*header_types/);
    expect(await failure(launch("missing.json").ended)).toContain("P40001");
  });

  it("refuses a damaged input before anything starts or is written", async () => {
    const dir = folder();
    const words = writeInputs(dir, 2, []);
    copyFileSync(join(root, "test/bad/traffic/P42311-cut-off.pcap"), join(dir, "p1_in.pcap"));
    const flags = ["--use-files", "0", "--grpc-server-addr", "none", ...words];
    const text = await failure(launch(join(golden("l3"), "l3.json"), ...flags).ended);
    expect(text).toContain("p1_in.pcap: packet 2 (at byte 54) is cut off: 20 of 30 bytes");
    expect(existsSync(join(dir, "p0_out.pcap"))).toBe(false);
    rmSync(join(dir, "p1_in.pcap"));
    const missing = await failure(launch(join(golden("l3"), "l3.json"), ...flags).ended);
    expect(missing).toMatch(/P40001.*p1_in\.pcap: no such file/);
  });

  it("refuses an address that is taken", async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, "127.0.0.1", () => resolve((taken.address() as { port: number }).port));
    });
    onTestFinished(() => void taken.close());
    const text = await failure(launch("--no-p4", "--grpc-server-addr", `127.0.0.1:${port}`).ended);
    expect(text).toContain(`error[P40014]: cannot listen on 127.0.0.1:${port}`);
  });
});

const L2 = `
#include <core.p4>
#include <v1model.p4>
header eth_t { bit<48> dst; bit<48> src; bit<16> type; }
struct headers { eth_t eth; }
struct metadata { }
parser TheParser(packet_in p, out headers hdr, inout metadata m, inout standard_metadata_t s) {
  state start { p.extract(hdr.eth); transition accept; }
}
control TheChecks(inout headers hdr, inout metadata m) { apply { } }
control TheIngress(inout headers hdr, inout metadata m, inout standard_metadata_t s) {
  action forward(bit<9> port) { s.egress_spec = port; }
  action lose() { mark_to_drop(s); }
  table hosts {
    key = { hdr.eth.dst: exact; }
    actions = { forward; lose; }
    default_action = lose();
  }
  apply { hosts.apply(); }
}
control TheEgress(inout headers hdr, inout metadata m, inout standard_metadata_t s) { apply { } }
control TheDeparser(packet_out p, in headers hdr) { apply { p.emit(hdr.eth); } }
V1Switch(TheParser(), TheChecks(), TheIngress(), TheEgress(), TheChecks(), TheDeparser()) main;
`;
