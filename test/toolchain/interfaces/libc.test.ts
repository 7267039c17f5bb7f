/** Memory whose address was given away. */
import { queryObjects } from "node:v8";
import { expect, it } from "vitest";
import { holding } from "../../../src/toolchain/interfaces/libc.js";

class Marked extends Uint8Array {}

const alive = (): number => queryObjects(Marked, { format: "count" }) as unknown as number;

/** In a function of its own, so that nothing else refers to the memory. */
const duringCall = (): number => holding([new Marked(8)], alive);

it("stays while the call lasts, and no longer", () => {
  const before = alive();
  expect(duringCall() - before).toBe(1);
  expect(alive()).toBe(before);
  const failing = () =>
    holding([new Marked(8)], () => {
      throw new Error("the call");
    });
  expect(failing).toThrow("the call");
  expect(alive()).toBe(before);
});
