/** Probes of a real BMv2: its pathmap is the computed one, and a switch that is not linear is found. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Random } from "../../src/base/index.js";
import { controlProbeBits, type ProbeHeader, Prober, probeChoice } from "../../src/fabric/probing/index.js";
import { connect, type RemoteDevice } from "../../src/toolchain/p4runtime/index.js";
import { leafOf } from "../fabric/schemes/repac/leaf.js";
import { BMV2, NO_BMV2 } from "./bmv2.js";

describe.skipIf(BMV2 === undefined)(`on BMv2${BMV2 === undefined ? ` (${NO_BMV2})` : ""}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-probing-"));
  let child: ChildProcess;
  let device: RemoteDevice;

  beforeAll(async () => {
    const own = ["--grpc-server-addr", `unix:${folder}/grpc`, "--cpu-port", "510"];
    child = spawn(BMV2!, ["--no-p4", "--device-id", "1", "--", ...own], { cwd: folder, stdio: "ignore" });
    device = await connect(`unix:${folder}/grpc`, { timeoutMs: 30_000 });
  });
  afterAll(async () => {
    await device.close();
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(["crc32", "csum16"] as const)("a leaf that hashes with %s", async (algorithm) => {
    const { program, updates, ports, map, destination } = leafOf(algorithm);
    await device.load(program);
    await device.write(updates);
    const prober = new Prober(device, { field: "dscp", sleep: (ns) => sleep(ns / 1e6) });
    const reference: ProbeHeader = {
      version: 4,
      src: 0x0a000001n,
      dst: destination,
      protocol: 6,
      srcPort: 0,
      dstPort: 0,
      selector: 0,
    };
    const bits = controlProbeBits(6, "dscp", 6);
    const probe = { reference, sourceBits: 8, bits, ports, tests: 300, random: new Random("bmv2") };
    const found = await probeChoice(prober, probe);
    prober.close();
    if (algorithm === "csum16") {
      expect(found.counterexample).toBeDefined();
      return;
    }
    expect(found).toMatchObject({ ports, tests: 300 });
    expect(found.counterexample).toBeUndefined();
    const computed = map.hops.find(({ hop }) => hop === "leaf up")!;
    expect(found.offsets).toEqual(computed.offsets.map((offset) => offset % ports.length));
  });
});
