/** Commands of an experiment file to the controllers of its schemes: `{ at: 20ms, scheme: LABEL, command: update, ... }`. */
import { z } from "zod";
import { type Diagnostics, didYouMean, type Json, type Locate } from "../../base/index.js";
import { describeIssues } from "../../toolchain/documents/index.js";
import { durationSchema } from "../topology/index.js";
import { CODES } from "./codes.js";
import type { SchemeRun } from "./experiment.js";
import { collecting } from "./files.js";

/** Value of the key `commands`. All other keys of an entry belong to the command: the scheme has their schema. */
export const commandsSchema = z
  .array(z.looseObject({ at: durationSchema, scheme: z.string(), command: z.string() }))
  .default([]);

type CommandSpec = z.output<typeof commandsSchema>[number];

export interface Command {
  /** Nanoseconds from the start. */
  readonly at: number;
  /** Label of the scheme. */
  readonly scheme: string;
  readonly name: string;
  /** The values after the scheme's schema has parsed them. */
  readonly values: Json;
  /** Place in the file's list. */
  readonly number: number;
}

/**
 * The commands, in time order. Adds P43014 for a scheme that the file does not have, P43022 for a time after the end, and P43071
 * for a command that the scheme does not have, or values that its schema refuses. After an error the commands must not be used.
 */
export function listedCommands(
  {
    commands,
    duration,
    schemes: entries,
  }: {
    readonly commands: readonly CommandSpec[];
    readonly duration: number;
    readonly schemes: readonly (string | { readonly scheme: string; readonly label?: string | undefined })[];
  },
  schemes: readonly SchemeRun[],
  locate: Locate,
  diagnostics: Diagnostics,
): Command[] {
  const found = commands.flatMap((spec, number): Command[] => {
    const { at, scheme, command: name, ...values } = spec;
    const place = (key: string) => locate(["commands", number, key]) ?? locate(["commands", number]);
    if (at >= duration)
      diagnostics.error(
        CODES.afterTheEnd,
        place("at"),
        "the command comes after the end of the run, see `duration`",
      );
    const labels = schemes.map(({ label }) => label);
    const run = schemes.find(({ label }) => label === scheme);
    // A scheme that was refused has been reported; its commands cannot be checked.
    const isListed = entries.some(
      (entry) => (typeof entry === "string" ? entry : (entry.label ?? entry.scheme)) === scheme,
    );
    if (run === undefined && isListed) return [];
    if (run === undefined) {
      diagnostics.error(
        CODES.unknownPlace,
        place("scheme"),
        `no scheme of this file is called "${scheme}"${didYouMean(scheme, labels, '"')}`,
        `schemes: ${labels.join(", ")}`,
      );
      return [];
    }
    const known = Object.keys(run.commands);
    const schema = Object.hasOwn(run.commands, name) ? run.commands[name]! : undefined;
    if (schema === undefined) {
      diagnostics.error(
        CODES.command,
        place("command"),
        `scheme ${scheme} has no command "${name}"${didYouMean(name, known, '"')}`,
        known.length === 0 ? `scheme ${scheme} has no commands` : `its commands: ${known.join(", ")}`,
      );
      return [];
    }
    const parsed = schema.safeParse(values);
    if (parsed.success) {
      const command = { name, values: parsed.data };
      const within: Locate = (path, atKey) =>
        locate(["commands", number, ...path], atKey) ?? locate(["commands", number]);
      collecting(diagnostics, () => run.checkCommand?.(command, within));
      return [{ at, scheme, name, values: parsed.data as Json, number }];
    }
    for (const { path, atKey, message, notes } of describeIssues(parsed.error.issues, schema, values))
      diagnostics.error(
        CODES.command,
        locate(["commands", number, ...path], atKey) ?? locate(["commands", number]),
        `command ${name} of scheme ${scheme}: ${message}`,
        ...notes,
      );
    return [];
  });
  return found.toSorted((a, b) => a.at - b.at || a.number - b.number);
}
