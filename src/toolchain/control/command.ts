/** One statement of either language. */
import type { Context } from "./context.js";
import type { Word } from "./words.js";

export interface Command {
  /**
   * The name and its arguments. A placeholder like `<table>` determines what completion offers for it. The name after a
   * colon, as in `<action:table>`, is the earlier placeholder to which it belongs.
   */
  readonly usage: string;
  /** What it does, in a few words. */
  readonly summary: string;
  /** Minimum and maximum number of words after the name. */
  readonly least: number;
  readonly most: number;
  /** Works without a program on the device. */
  readonly bare?: boolean;
  /** The statement resets the device: all handles and nodes become invalid. */
  readonly reloads?: boolean;
  run(context: Context, words: readonly Word[], name: Word): Promise<void>;
}

/** The usage as people see it: placeholders without the parts that only completion needs. */
export function usageText({ usage }: Command): string {
  return usage.replace(/:\w+>/g, ">");
}

export type Commands = Readonly<Record<string, Command>>;

/** Any number of words. */
export const MANY = Number.POSITIVE_INFINITY;
