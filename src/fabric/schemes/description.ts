/** Checks descriptions of host policies, which come from plans, and on real hosts from another process. */
import type { z } from "zod";
import { fail } from "../../base/index.js";
import { CODES } from "./codes.js";

/** Fails with P42210 where a parameter is missing or wrong. */
export function checkDescription<T>(schema: z.ZodType<T>, description: unknown): T {
  const result = schema.safeParse(description);
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  const place = path.length === 0 ? "" : `${path.join(".")}: `;
  return fail(CODES.hostPolicy, undefined, `the description of a host policy is wrong: ${place}${message}`);
}
