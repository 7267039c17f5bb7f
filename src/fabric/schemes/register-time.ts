/** Times that a program compares with its clock: whole microseconds, in as many bits as its registers have. */
import type { z } from "zod";
import { positiveDurationSchema } from "../topology/index.js";

const NS_PER_US = 1000;

/** A time in nanoseconds that a register of `bits` can hold as microseconds; the schema of a key. */
export function registerTime(bits: number): z.ZodType<number, string | number> {
  const most = 2 ** bits - 1;
  const seconds = Math.floor(most / 1e6);
  return positiveDurationSchema.refine(
    (ns) => ns >= NS_PER_US && microseconds(ns) <= most,
    `expected a time from 1us to ${seconds}s`,
  );
}

/** As the program has it. */
export function microseconds(ns: number): number {
  return Math.round(ns / NS_PER_US);
}
