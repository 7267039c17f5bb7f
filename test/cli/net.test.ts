/** `p4loom net` as a process: our example exercise, on every network and engine that this machine has. */

import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { COMMAND } from "../built-command.js";
import { bmv2, LABS } from "../fabric/testbed/machine.js";

const root = resolve(import.meta.dirname, "../..");
const example = join(root, "examples/exercise");

function copyExample(): string {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-net-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(example, folder, { recursive: true });
  return folder;
}

function net(folder: string, words: readonly string[], input = "") {
  const argv = [COMMAND, "net", "--quiet", ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, {
    cwd: folder,
    encoding: "utf8",
    input,
    // A lab that does not end must not hold the tests.
    timeout: 110_000,
    killSignal: "SIGKILL",
  });
  return { status, stdout, stderr };
}

for (const { network, engine, reason } of LABS) {
  const title = `p4loom net, ${network}, engine ${engine}${reason === undefined ? "" : ` (not here: ${reason})`}`;
  describe.skipIf(reason !== undefined)(title, () => {
    const where = ["--network", network, "--engine", engine, ...(bmv2 === undefined ? [] : ["--bmv2", bmv2])];

    it("runs an exercise folder as it is", () => {
      const folder = copyExample();
      const lines = [
        "h1 ping -c1 h2",
        "pingall",
        "link s1 s2 down",
        "h1 ping -c1 -W1 h2",
        "s3 table_num_entries routes",
      ];
      const words = lines.flatMap((line) => ["--exec", line]);
      const { status, stdout, stderr } = net(folder, ["topo/topology.json", ...where, ...words]);
      expect(stderr).toBe("");
      expect(stdout).toContain("1 packets transmitted, 1 received, 0% packet loss");
      expect(stdout).toContain("*** Results: 0% dropped (6/6 received)");
      expect(stdout).toContain("1 packets transmitted, 0 received, 100% packet loss");
      expect(stdout.trimEnd().split("\n").at(-1)).toBe("3");
      // The ping over the link that is down failed.
      expect(status).toBe(1);
      expect(existsSync(join(folder, "build", "ring.p4.p4info.txtpb"))).toBe(true);
      expect(readFileSync(join(folder, "logs", "s1-p4runtime-requests.txt"), "utf8")).toContain(
        "table_entry",
      );
      expect(existsSync(join(folder, "logs", "s3.log"))).toBe(true);
      expect(statSync(join(folder, "pcaps", "s1-eth1_in.pcap")).size).toBeGreaterThan(24);
    });
  });
}

const plain = LABS.find(({ network, engine }) => network === "netns" && engine === "switch")!.reason;

describe.skipIf(plain !== undefined)(
  `p4loom net ${plain === undefined ? "" : `(not here: ${plain})`}`,
  () => {
    it("takes lines that are piped in, until exit", () => {
      const folder = copyExample();
      writeFileSync(join(folder, "Makefile"), "TOPO = topo/topology.json\n");
      const input =
        "nodes\nh1 echo in $(hostname >/dev/null; echo host)\nswitch s1 stop\nswitch s1 start\npingall\nexit\nnodes\n";
      const { status, stdout } = net(folder, ["--no-pcap"], input);
      expect(stdout.match(/available nodes/g)).toHaveLength(1);
      expect(stdout).toContain("in host\n");
      expect(stdout).toContain("*** Results: 0% dropped (6/6 received)");
      expect(status).toBe(0);
      expect(existsSync(join(folder, "pcaps"))).toBe(false);
    });

    it("ends although programs continue in the background, and reports statements that fail", () => {
      const folder = copyExample();
      const topology = join(folder, "topo", "topology.json");
      writeFileSync(
        topology,
        readFileSync(topology, "utf8").replace(
          '"commands": [',
          '"commands": ["sleep 1000 &", "no such command",',
        ),
      );
      const input = [
        "h1 sleep 1000 &",
        "h1 cat",
        "s1 watch 10ms",
        "s3 dump routes",
        "s3 dump roads",
        "sh echo wrong >> topo/s3-commands.txt",
        "switch s3 stop",
        "switch s3 start",
        "h1 echo still here",
      ];
      const { status, stdout, stderr } = net(folder, ["topo", "--no-pcap"], `${input.join("\n")}\n`);
      expect(stderr).toMatch(/^warning: h1: no such command: .*\n$/);
      expect(stdout).toContain("insert RingIngress.routes hdr.ipv4.dst_addr=10.0.1.1/32");
      expect(stdout).toMatch(/\*\*\* .*roads/);
      expect(stdout).toMatch(/s3-commands\.txt:5:1: error\[P4\d+\]/);
      expect(stdout).toContain("still here");
      expect(status).toBe(1);
    });

    it.each([
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const)(
      "is ended by %s with status %i",
      async (signal, expected) => {
        const child = spawn(process.execPath, [COMMAND, "net", "topo", "--no-pcap"], {
          cwd: copyExample(),
          stdio: ["pipe", "ignore", "pipe"],
        });
        onTestFinished(() => void child.kill("SIGKILL"));
        let text = "";
        let sent = false;
        child.stderr.setEncoding("utf8").on("data", (piece: string) => {
          text += piece;
          if (!sent && text.includes("switches (switch)")) sent = child.kill(signal);
        });
        const status = await new Promise((resolve) => child.on("close", resolve));
        expect(status, text).toBe(expected);
        expect(text).toContain("ended, everything is removed");
      },
      120_000,
    );
  },
);

describe("p4loom net, before anything starts", () => {
  it.each([
    ["a topology that is not there", ["none.json"], /error\[P40001\]: cannot read none.json/],
    [
      "an engine that is not there",
      ["topo", "--engine", "asic"],
      /error\[P40005\]: --engine asic: expected switch or bmv2/,
    ],
    ["a program that is not there", ["topo", "--program", "other.p4"], /error\[P43155\]: --program other.p4/],
  ])("refuses %s", (_what, words, message) => {
    const { status, stderr } = net(copyExample(), words);
    expect(stderr).toMatch(message);
    expect(status).not.toBe(0);
  });

  it("refuses to write compiled files outside of the folder", () => {
    const folder = copyExample();
    const runtime = join(folder, "topo", "s1-runtime.json");
    writeFileSync(runtime, readFileSync(runtime, "utf8").replace("build/ring.json", "../ring.json"));
    const { status, stderr } = net(folder, ["topo"]);
    expect(stderr).toMatch(/error\[P43159\]: \.\.\/ring\.json is outside/);
    expect(status).toBe(1);
  });

  it("names a runtime file that is not there", () => {
    const folder = copyExample();
    rmSync(join(folder, "topo", "s1-runtime.json"));
    const { status, stderr } = net(folder, ["topo"]);
    expect(stderr).toMatch(/topology\.json:\d+:\d+: error\[P43155\]: no such file: .*s1-runtime\.json/);
    expect(stderr.match(/error\[/g)).toHaveLength(1);
    expect(status).toBe(1);
  });

  it("refuses a program that does not compile, at its place", () => {
    const folder = copyExample();
    writeFileSync(join(folder, "ring.p4"), "control C() { apply { x = 1; } }\n");
    const { status, stderr } = net(folder, ["topo"]);
    expect(stderr).toMatch(/ring\.p4:1:23: error\[P4\d+\]/);
    expect(status).toBe(1);
    expect(existsSync(join(folder, "build"))).toBe(false);
  });

  it("refuses a runtime file for another program, at its place", () => {
    const folder = copyExample();
    const runtime = join(folder, "topo", "s1-runtime.json");
    writeFileSync(
      runtime,
      readFileSync(runtime, "utf8").replaceAll("RingIngress.routes", "RingIngress.paths"),
    );
    const { status, stderr } = net(folder, ["topo"]);
    expect(stderr).toMatch(/s1-runtime\.json:\d+:\d+: error\[P4\d+\]: .*RingIngress\.paths/);
    expect(status).toBe(1);
  });
});

/** A Python with grpc and the modules p4.v1, as controllers of the tutorials need: P4LOOM_PYTHON, or python3. */
const python = process.env["P4LOOM_PYTHON"] ?? "python3";
const modules = "import grpc, p4.config.v1.p4info_pb2, p4.v1.p4runtime_pb2_grpc";
const noGrpc =
  plain ??
  (spawnSync(python, ["-c", modules]).status === 0 ? undefined : `${python} has no grpc or no p4.v1`);

describe.skipIf(noGrpc !== undefined)(`a controller as those of the tutorials ${noGrpc ?? ""}`, () => {
  /** A network to which lines are typed, one after the answer to the other. */
  function start(words: readonly string[]) {
    const folder = copyExample();
    if (words.includes("--no-p4")) {
      const path = join(folder, "topo", "topology.json");
      const topology = JSON.parse(readFileSync(path, "utf8"));
      topology.switches = { s1: {}, s2: {}, s3: {} };
      writeFileSync(path, JSON.stringify(topology));
      mkdirSync(join(folder, "build"));
      const files = ["-o", "build/ring.json", "--p4runtime-files", "build/ring.p4.p4info.txtpb"];
      spawnSync(process.execPath, [COMMAND, "compile", "ring.p4", ...files], { cwd: folder });
    }
    const child = spawn(process.execPath, [COMMAND, "net", "topo", "--quiet", "--no-pcap", ...words], {
      cwd: folder,
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    const closed = new Promise<void>((resolve) => child.on("close", () => resolve()));
    const answer = async (line: string, pattern: RegExp): Promise<RegExpExecArray> => {
      const from = text.length;
      child.stdin.write(`${line}\n`);
      return await vi.waitFor(
        () => {
          const match = pattern.exec(text.slice(from));
          if (match === null) throw new Error(`${line}: ${text.slice(from)}`);
          return match;
        },
        { timeout: 60_000, interval: 20 },
      );
    };
    const end = async (): Promise<void> => {
      child.stdin.end();
      await closed;
    };
    return { folder, answer, end };
  }

  const entries = (toFirst: string, toSecond: string) => `10.0.1.1/32 ${toFirst}\n10.0.2.2/32 ${toSecond}\n`;

  function control(folder: string, port: string, deviceId: number, input: string): string {
    const files = ["build/ring.p4.p4info.txtpb", "build/ring.json"].map((file) => join(folder, file));
    const argv = [
      join(root, "test/fabric/testbed/controller.py"),
      ...files,
      `127.0.0.1:${port}`,
      String(deviceId),
    ];
    const { stdout, stderr } = spawnSync(python, argv, { input, encoding: "utf8", timeout: 60_000 });
    return stdout + stderr;
  }

  it.each([
    ["beside runtime files", []],
    ["without a program", ["--no-p4"]],
  ])(
    "claims the switches with election id 1 (%s)",
    async (_what, words) => {
      const { folder, answer, end } = start(words);
      const [, first] = await answer("dump", /s1: P4Runtime 127\.0\.0\.1:(\d+)/);
      const [, second] = await answer("dump", /s2: P4Runtime 127\.0\.0\.1:(\d+)/);
      const said = [
        control(folder, first!, 0, entries("080000000111 01", "080000000200 02")),
        control(folder, second!, 1, entries("080000000100 03", "080000000222 01")),
      ];
      expect(said).toEqual(Array(2).fill("arbitration status 0\nprogram loaded\n2 entries\n"));
      await answer("h1 ping -c1 -W5 h2", /1 received/);
      await answer("s1 dump routes", /hdr\.ipv4\.dst_addr=10\.0\.2\.2\/32/);
      // The prompt still writes when the controller is gone.
      const insert = "s1 insert routes hdr.ipv4.dst_addr=10.0.9.0/24 => drop";
      await answer(`${insert}\ns1 table_num_entries routes`, /^3$/m);
      await end();
    },
    180_000,
  );
});
