/** One statement of either language. */
import type { Command } from "./context.js";

/** The usage as people see it: placeholders without the parts that only completion needs. */
export function usageText({ usage }: Command): string {
  return usage.replace(/:\w+>/g, ">");
}

export type Commands = Readonly<Record<string, Command>>;

/** Any number of words. */
export const MANY = Number.POSITIVE_INFINITY;
