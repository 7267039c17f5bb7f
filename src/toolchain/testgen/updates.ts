/** The entries of a generated test as a controller writes them. */
import { Diagnostics, SourceFile } from "../../base/index.js";
import { runCommands } from "../control/index.js";
import { recording, type Update } from "../device/index.js";
import type { Program } from "../program/index.js";
import { Switch } from "../switch/index.js";
import type { Stimulus } from "./concrete.js";

/** The updates of a test's commands, which the embedded switch takes. */
export async function updatesOf(
  program: Program,
  { commands }: Pick<Stimulus, "commands">,
): Promise<Update[]> {
  const updates: Update[] = [];
  const device = new Switch(program, {
    clock: { now: () => 0, at: () => () => {} },
    transmit: () => {},
  });
  const diagnostics = new Diagnostics();
  await runCommands(
    recording(device, (list) => updates.push(...list)),
    new SourceFile("commands", commands.join("\n")),
    diagnostics,
  );
  diagnostics.throwIfErrors();
  return updates;
}
