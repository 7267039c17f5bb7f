/** The command `p4loom shell` as a process, against the embedded switch over loopback. */

import { type SpawnOptionsWithoutStdio, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkShell, type ShellArguments } from "../../src/cli/shell/shell-options.js";
import { type P4RuntimeServer, serve } from "../../src/toolchain/p4runtime/index.js";
import { COMMAND } from "../built-command.js";
import { p4infoOf } from "../toolchain/control/start.js";
import { startProgram, startUnconfigured } from "../toolchain/switch/golden.js";

const l3 = resolve(import.meta.dirname, "../golden/l3");

let folder = "";
const servers: P4RuntimeServer[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "p4loom-shell-"));
});
afterAll(async () => {
  for (const server of servers) await server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function serveL3() {
  const { device } = startUnconfigured("l3", p4infoOf("l3"));
  const server = await serve(device, { address: "127.0.0.1:0", deviceId: 0n });
  servers.push(server);
  return { device, address: server.address };
}

interface Result {
  status: number | null;
  stdout: string;
  stderr: string;
}

function shell(args: readonly string[], input = "", options: SpawnOptionsWithoutStdio = {}): Promise<Result> {
  const child = spawn(process.execPath, [COMMAND, "shell", ...args], {
    cwd: folder,
    ...options,
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (data: Buffer) => (stdout += data));
  child.stderr.on("data", (data: Buffer) => (stderr += data));
  child.stdin.end(input);
  return new Promise((done) => child.on("close", (status) => done({ status, stdout, stderr })));
}

describe("p4loom shell", () => {
  it("runs statements from the command line, and ends with 0", async () => {
    const { address, device } = await serveL3();
    const { status, stdout, stderr } = await shell([
      address,
      "-c",
      "insert routes4 10.0.1.0/24 => route 1",
      "-c",
      "dump routes4",
    ]);
    expect(stderr).toBe("");
    expect(stdout).toBe(
      "insert TheIngress.routes4 hdr.ipv4.dst=10.0.1.0/24 => TheIngress.route next_hop=1  # 0 packets, 0 bytes\n" +
        "default TheIngress.routes4 => TheIngress.unreachable\n",
    );
    expect(status).toBe(0);
    expect(device.query([{ kind: "tableEntry", table: "TheIngress.routes4" }])).toHaveLength(1);
  });

  it("reads stdin, reports errors at their line, and ends with 1", async () => {
    const { address } = await serveL3();
    const text =
      "table_add routes4 route 10.0.0.0/8 => 1\ninsert rutes4 1.2.3.4 => route 1\ntable_num_entries routes4\n";
    const { status, stdout, stderr } = await shell([address], text);
    expect(stdout.trim().split("\n").slice(-2)).toEqual(["Entry has been added with handle 0", "1"]);
    expect(stderr).toContain(
      "stdin:2:8: error[P43203]: the program has no table `rutes4`; did you mean `routes4`?",
    );
    expect(status).toBe(1);
  });

  it("plays files: commands, and the tutorials' runtime file with its program", async () => {
    const { device, server } = await bare();
    mkdirSync(join(folder, "build"), { recursive: true });
    cpSync(join(l3, "l3.json"), join(folder, "build/l3.json"));
    cpSync(join(l3, "l3.p4info.txtpb"), join(folder, "build/l3.p4.p4info.txtpb"));
    const runtime = JSON.parse(readFileSync(join(l3, "runtime.json"), "utf8")) as object;
    const files = { p4info: "build/l3.p4.p4info.txtpb", bmv2_json: "build/l3.json" };
    mkdirSync(join(folder, "pod-topo"), { recursive: true });
    writeFileSync(join(folder, "pod-topo/s1-runtime.json"), JSON.stringify({ ...runtime, ...files }));
    writeFileSync(join(folder, "s1-commands.txt"), "mirroring_add 5 3\nmc_mgrp_create 1\n");
    const { status, stdout, stderr } = await shell([
      server.address,
      "--script",
      "pod-topo/s1-runtime.json",
      "--script",
      "s1-commands.txt",
      "-c",
      "clone",
    ]);
    expect(stderr).toBe("");
    expect(stdout).toContain("# build/l3.json is loaded\n");
    expect(stdout.trim().split("\n").at(-1)).toBe("insert clone 5 => 3");
    expect(status).toBe(0);
    expect(device.query([{ kind: "tableEntry", table: "TheIngress.routes4" }]).length).toBeGreaterThan(5);
  });

  it("prints one JSON document", async () => {
    const { address } = await serveL3();
    const { status, stdout } = await shell([
      address,
      "--json",
      "-c",
      "insert routes4 10.0.1.0/24 => route 1\ndump routes4\nread nothing\ntable_num_entries routes4",
    ]);
    const document = JSON.parse(stdout) as { switch: string; statements: Record<string, unknown>[] };
    expect(document).toMatchObject({
      switch: address,
      statements: [
        { statement: "insert routes4 10.0.1.0/24 => route 1", ok: true, lines: [] },
        {
          statement: "dump routes4",
          ok: true,
          data: [
            { table: "TheIngress.routes4", match: { "hdr.ipv4.dst": ["10.0.1.0", 24] } },
            { default_action: true },
          ],
        },
        { statement: "read nothing", ok: false, diagnostics: [{ code: "P43203" }] },
        { ok: true, lines: ["1"] },
      ],
    });
    expect(status).toBe(1);
  });

  it("loads a program that --config names, and looks without a claim", async () => {
    const { device, server } = await bare();
    const load = await shell([server.address, "--config", join(l3, "l3.json"), "-c", "info"]);
    expect(load.stderr).toBe("");
    expect(load.stdout).toContain("program  l3.p4\n");
    expect(device.program?.bmv2.program).toBe("l3.p4");
    const { status, stderr } = await shell([
      server.address,
      "--read-only",
      "-c",
      "insert routes4 1.2.3.4 => route 1",
    ]);
    expect(stderr).toMatch(/error\[P43206\].*for reading only/);
    expect(status).toBe(1);
  });

  it("prints the warnings of a program that it compiles, and refuses one without P4Info", async () => {
    const { server } = await bare();
    const path = join(folder, "warned.p4");
    writeFileSync(path, `${readFileSync(join(l3, "l3.p4"), "utf8")}\nbit<8> cut_off() { return 8w300; }\n`);
    const config = await shell([server.address, "--config", path, "-c", "info"]);
    expect(config.stderr).toContain("warning[P40601]: 300 does not fit in bit<8>");
    expect(config.status).toBe(0);
    const load = await shell([server.address, "-c", `load ${path}`]);
    expect(load.stderr).toContain("warning[P40601]");
    expect(load.status).toBe(0);
    const { stdout } = await shell([server.address, "--json", "-c", `load ${path}`]);
    expect(JSON.parse(stdout)).toMatchObject({
      statements: [{ ok: true, diagnostics: [{ severity: "warning", code: "P40601" }] }],
    });
    cpSync(join(l3, "l3.json"), join(folder, "alone.json"));
    const without = await shell([server.address, "-c", "load alone.json"]);
    expect(without.stderr).toContain("command 1:1:6: error[P40018]");
    expect(without.status).toBe(1);
  });

  it("watches for a time", async () => {
    const { address, device } = await serveL3();
    const watching = shell([address, "-c", "watch routes4 events=1"]);
    // Changes the table until the watcher has seen it.
    const entity = {
      kind: "tableEntry" as const,
      table: "TheIngress.routes4",
      match: [{ kind: "lpm" as const, field: "hdr.ipv4.dst", value: 0x0a000000n, prefixLength: 8 }],
      priority: 0,
      action: { kind: "action" as const, action: "TheIngress.route", params: { next_hop: 1n } },
    };
    let there = false;
    const timer = setInterval(() => {
      device.apply([{ type: there ? "delete" : "insert", entity }]);
      there = !there;
    }, 700);
    const { status, stdout } = await watching;
    clearInterval(timer);
    expect(stdout).toMatch(/^[+-] insert TheIngress\.routes4 hdr\.ipv4\.dst=10\.0\.0\.0\/8 => /);
    expect(status).toBe(0);
  });

  it("speaks TLS, with a certificate of its own where the switch wants one", async () => {
    const tls = resolve(import.meta.dirname, "../toolchain/p4runtime/tls");
    const pem = (name: string) => readFileSync(join(tls, name), "utf8");
    const { device } = startUnconfigured("l3", p4infoOf("l3"));
    const server = await serve(device, {
      address: "127.0.0.1:0",
      deviceId: 0n,
      tls: { certificate: pem("server.pem"), privateKey: pem("server.key"), clientCa: pem("ca.pem") },
    });
    servers.push(server);
    const address = server.address.replace("127.0.0.1", "localhost");
    const files = ["--tls-ca", "ca.pem", "--tls-cert", "client.pem", "--tls-key", "client.key"];
    const paths = files.map((word) => (word.startsWith("--") ? word : join(tls, word)));
    const { status, stdout, stderr } = await shell([address, ...paths, "-c", "info"]);
    expect(stderr).toBe("");
    expect(stdout).toContain("program  l3.p4\n");
    expect(status).toBe(0);
  });

  it("says why it cannot connect", async () => {
    const { address } = await serveL3();
    const wrong = await shell([address, "--device-id", "7", "-c", "info"]);
    expect(wrong.stderr).toMatch(/error\[P40040\].*\n.*give the switch's with --device-id/);
    expect(wrong.status).toBe(1);
    const nobody = await shell(["127.0.0.1:1", "--timeout", "0.5", "-c", "info"]);
    expect(nobody.stderr).toMatch(/error\[P40040\]: no P4Runtime server answers at 127\.0\.0\.1:1 /);
    expect(nobody.status).toBe(1);
  });

  it("ends with 2 for wrong usage", async () => {
    const { status, stderr } = await shell(["1", "--device-id", "x"]);
    expect(stderr).toContain("--device-id x");
    expect(status).toBe(2);
  });
});

describe("options", () => {
  const given = (more: Partial<ShellArguments>): ShellArguments => ({ script: [], command: [], ...more });

  it.each<[Partial<ShellArguments>, string]>([
    [{ electionId: "-1" }, "expected a whole number"],
    [{ p4info: "a.txtpb" }, "--p4info needs --config"],
    [{ config: "a.json", readOnly: true }, "cannot go with --read-only"],
    [{ tlsCert: "a.pem" }, "go together"],
    [{ timeout: "0" }, "expected seconds"],
    [{ json: true, interactive: true }, "not with --interactive"],
  ])("%j: %s", (more, part) => {
    expect(() => checkShell("1", given(more))).toThrow(part);
  });

  it("take a port alone for one of this machine", () => {
    expect(checkShell("50051", given({ deviceId: "3" }))).toMatchObject({
      address: "127.0.0.1:50051",
      deviceId: 3n,
    });
    expect(checkShell("unix:/tmp/s1", given({})).address).toBe("unix:/tmp/s1");
  });
});

/** A switch that waits for its program. */
async function bare() {
  const { bmv2 } = startUnconfigured("cpu").device.program!;
  const { device } = startProgram(bmv2, p4infoOf("cpu"));
  const server = await serve(device, { address: "127.0.0.1:0", deviceId: 0n });
  servers.push(server);
  return { device, server };
}
