/** P-ECMP's state in a real BMv2: each packet leaves by C[s mod M, Hash(f)]. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { PROBES, type ProbeName, probeSet } from "./probe-set.js";

const path = resolve(import.meta.dirname, "../../golden/pecmp/bmv2-ports.json");
const recorded: Record<string, string> = JSON.parse(readFileSync(path, "utf8"));

describe("BMv2 sends by C[s mod M, Hash(f)]", () => {
  it.each(Object.keys(PROBES) as ProbeName[])("%s", (name) => {
    const { probes } = probeSet(name, name === "tor-dscp" ? 1000 : 200);
    expect(probes.map(({ port }) => port.toString(36)).join("")).toBe(recorded[name]);
    // Every selector moves some packet, else the recording would prove little.
    expect(new Set(probes.map(({ port }) => port)).size).toBeGreaterThan(3);
  });
});
