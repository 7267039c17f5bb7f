/** `p4loom graph` with programs that have nothing to draw, or too much. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it, vi } from "vitest";
import { graph } from "../../src/cli/graph/graph.js";

it("says at the program that it has no parser or control", async () => {
  const program = resolve(import.meta.dirname, "../bad/graph/P41300-nothing-to-draw.p4");
  const errors = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    const status = await graph(program, {
      I: [],
      D: [],
      U: [],
      dot: true,
      svg: false,
      json: false,
      calls: false,
    });
    expect(status).toBe(1);
    expect(errors.mock.calls.map(([text]) => String(text)).join("")).toContain(
      `${program}:1:1: error[P41300]: the program has no parser or control to draw`,
    );
  } finally {
    errors.mockRestore();
  }
});

it("says at the control that its graph is too large; one level alone is not", async () => {
  const program = resolve(import.meta.dirname, "../bad/graph/P41301-too-many-controls.p4");
  const errors = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const output = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const options = { I: [], D: [], U: [], dot: true, svg: false, json: false };
  try {
    expect(await graph(program, { ...options, block: ["Top"], calls: false })).toBe(1);
    const line = readFileSync(program, "utf8")
      .split("\n")
      .findIndex((text) => text.includes("<- here"));
    expect(errors.mock.calls.map(([text]) => String(text)).join("")).toContain(
      `${program}:${line + 1}:9: error[P41301]: the graph of Top has more than`,
    );
    expect(await graph(program, { ...options, block: ["Top"], calls: true })).toBe(0);
  } finally {
    errors.mockRestore();
    output.mockRestore();
  }
});
