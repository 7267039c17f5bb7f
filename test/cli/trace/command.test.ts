/** `p4loom trace`, and `--trace` of `stf` and `switch`, as a user meets them. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { fromHex } from "../../../src/base/index.js";
import { encodePcap } from "../../../src/base/packets/index.js";
import type { PacketTrace } from "../../../src/toolchain/switch/index.js";
import { COMMAND } from "../../built-command.js";

const root = resolve(import.meta.dirname, "../../..");
const folder = mkdtempSync(join(tmpdir(), "p4loom-trace-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SMALL = "test/toolchain/stf/programs/small.p4";

function p4loom(...args: string[]) {
  return spawnSync(process.execPath, [COMMAND, ...args], {
    cwd: root,
    encoding: "utf8",
  });
}

const documents = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as PacketTrace);

describe("of a program", () => {
  it("sends the packet after the commands", () => {
    const commands = join(folder, "commands.txt");
    writeFileSync(commands, "table_add TheIngress.exactly TheIngress.send 1 1 => 2\n");
    const { stdout, stderr, status } = p4loom(
      "trace",
      SMALL,
      "--port",
      "3",
      "--packet",
      "0x01 0000:00",
      "--commands",
      commands,
    );
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^packet 0 on port 3: 4 bytes at 0 µs\n/);
    expect(stdout).toMatch(/\n {4}table TheIngress\.exactly: hit +small\.p4:\d+ {2}table exactly \{\n/);
    expect(stdout).toMatch(/\n {2}sent on port 2: 4 bytes at 0 µs\n$/);
  });

  it("--all prints every outcome, with --update at every moment of it", () => {
    const packet = ["trace", "examples/trace/two-paths.p4", "--port", "1", "--packet", "070500"];
    const all = [...packet, "--commands", "examples/trace/entries.txt", "--all"];
    const two = p4loom(...all, "--json");
    expect([two.status, two.stderr]).toEqual([0, ""]);
    expect(documents(two.stdout)[0]).toMatchObject({
      outcomes: 2,
      root: { outcome: { reason: "selector" } },
    });
    const four = p4loom(...all, "--update", "examples/trace/update.txt");
    expect(four.stdout).toMatch(/^packet 0 on port 1: 3 bytes at 0 µs, 4 outcomes\n/);
    const cut = p4loom(...all, "--max-runs", "1");
    expect(cut.stdout).toMatch(/, 1 outcome\n[\s\S]*\nmore happened than a trace has room for\n$/);
  });

  it("refuses options of --all without it, and an update of what is no table", () => {
    const packet = ["trace", "examples/trace/two-paths.p4", "--port", "1", "--packet", "070500"];
    for (const option of [
      ["--update", "x.txt"],
      ["--max-runs", "3"],
    ]) {
      const { stderr, status } = p4loom(...packet, ...option);
      expect([status, stderr]).toEqual([
        2,
        expect.stringContaining(`${option.join(" ")}: this option needs --all`),
      ]);
    }
    const groups = join(folder, "groups.txt");
    writeFileSync(groups, "mc_mgrp_create 1\nmc_node_create 0 1 2\nmc_node_associate 1 0\n");
    const { stderr, status } = p4loom(...packet, "--all", "--update", groups);
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining(
        "change 1 of the update is of a multicastGroup; outcomes are followed for changes of tables",
      ),
    ]);
    const trace = join(folder, "all.jsonl");
    writeFileSync(trace, "");
    expect(p4loom("trace", trace, "--all").stderr).toContain("--all: ");
  });

  it("takes entries of a runtime.json", () => {
    const entries = join(folder, "s1-runtime.json");
    const entry = {
      table: "TheIngress.exactly",
      match: { "hdr.data.kind": 1, "hdr.data.$valid$": 1 },
      action_name: "TheIngress.send",
      action_params: { port: 7 },
    };
    writeFileSync(
      entries,
      JSON.stringify({ target: "bmv2", bmv2_json: "small.json", table_entries: [entry] }),
    );
    const packet = ["--port", "3", "--packet", "01000000"];
    const { stdout, stderr, status } = p4loom("trace", SMALL, ...packet, "--commands", entries);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/sent on port 7: 4 bytes/);
  });

  it("takes BMv2 JSON, and gives JSON", () => {
    const json = join(folder, "small.json");
    const files = ["--p4runtime-files", join(folder, "small.p4info.txtpb")];
    expect(p4loom("compile", SMALL, "-o", json, ...files).status).toBe(0);
    const { stdout, stderr, status } = p4loom("trace", json, "--port", "3", "--packet", "01000000", "--json");
    expect([status, stderr]).toEqual([0, ""]);
    expect(documents(stdout)).toMatchObject([
      { trace_version: 1, input: { ingress_port: 3, packet_size: 4 } },
    ]);
  });

  it.each([
    [[], "a program needs a packet"],
    [["--port", "1", "--packet", "0"], "--packet 0: not bytes"],
    [["--port", "512", "--packet", "00"], "--port 512: not a whole number from 0 to 511"],
    [["--port", "1", "--packet", "00", "--dropped"], "--dropped: there is only one packet"],
  ])("refuses %j", (args, message) => {
    const { stdout, stderr, status } = p4loom("trace", SMALL, ...args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });
});

describe("--trace", () => {
  it("of stf writes a document a packet, which trace shows", () => {
    const test = join(folder, "test.stf");
    writeFileSync(test, "packet 0 01 0000 00\npacket 1 02 0000 00\n");
    const traces = join(folder, "stf.jsonl");
    expect(p4loom("stf", SMALL, test, "--trace", traces).stdout).toContain("0 passed");
    expect(documents(readFileSync(traces, "utf8")).map(({ input }) => input.ingress_port)).toEqual([0, 1]);
    const shown = p4loom("trace", traces, "--packet", "1");
    expect(shown.stderr).toBe("");
    expect(shown.stdout).toMatch(/^packet 1 on port 1: 4 bytes at 1 ms\n/);
    const same = p4loom("trace", traces, "--json").stdout;
    expect(same).toBe(readFileSync(traces, "utf8"));
    expect(p4loom("trace", traces, "--seed", "1").stderr).toContain("is a trace");
  });

  it("of switch writes to stdout, all else to stderr", () => {
    const frames = ["01000000", "02000000"].map((hex, i) => ({
      seconds: 0,
      nanoseconds: i,
      frame: fromHex(hex)!,
    }));
    writeFileSync(join(folder, "p0_in.pcap"), encodePcap(frames, { nanoseconds: true }));
    const ports = ["-i", `0@${join(folder, "p0")}`, "--use-files", "0", "--exit-when-done"];
    const { stdout, stderr, status } = p4loom(
      "switch",
      SMALL,
      ...ports,
      "--grpc-server-addr",
      "127.0.0.1:0",
      "--trace",
      "-",
    );
    expect(status).toBe(0);
    expect(stderr).toMatch(/^Server listening on /m);
    expect(documents(stdout).map(({ device, input }) => [device, input.packet_id, input.bytes])).toEqual([
      ["device 0", 0, "01000000"],
      ["device 0", 1, "02000000"],
    ]);
  });
});
