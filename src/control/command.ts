/** One statement of either language. */
import type { Context } from "./context.js";
import type { Word } from "./words.js";

export interface Command {
  /**
   * The name and what stands behind it. Placeholders like `<table>` say what completion offers in their place; a name
   * behind a colon, `<action:table>`, says which earlier placeholder it belongs to.
   */
  readonly usage: string;
  /** What it does, in a few words. */
  readonly summary: string;
  /** Fewest and most words behind the name. */
  readonly least: number;
  readonly most: number;
  /** Works without a program on the device. */
  readonly bare?: boolean;
  /** The device starts anew: handles and nodes are gone. */
  readonly reloads?: boolean;
  run(context: Context, words: readonly Word[], name: Word): Promise<void>;
}

/** The usage for people: placeholders without what completion needs. */
export function usageText({ usage }: Command): string {
  return usage.replace(/:\w+>/g, ">");
}

export type Commands = Readonly<Record<string, Command>>;

/** Any number of words. */
export const MANY = Number.POSITIVE_INFINITY;
