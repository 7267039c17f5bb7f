/** `p4loom graph` with a program that has nothing to draw. */
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
