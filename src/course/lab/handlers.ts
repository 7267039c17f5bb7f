/** Answers the requests about files, programs and switches, in the same way for all engines. */

import { diagnosticViews, refusalOf } from "./diagnostics.js";
import { type EditOp, editHandlers } from "./editing.js";
import type { ProjectFiles } from "./files.js";
import type { Handlers } from "./handler-types.js";
import { WithDiagnostics } from "./handler-types.js";
import type { LabAnswers, LabEvent, LabOp, LabReply, LabRequest } from "./protocol.js";
import type { SwitchBoard } from "./switch-board.js";

/** Carries out a request; errors of users become replies. */
export async function answer(handlers: Handlers, request: LabRequest): Promise<LabReply> {
  try {
    const handle = handlers[request.op] as (of: LabRequest) => unknown;
    const found = await handle(request);
    if (found instanceof WithDiagnostics)
      return { ok: true, value: found.value, diagnostics: found.diagnostics };
    return { ok: true, value: found as LabAnswers[LabOp], diagnostics: [] };
  } catch (error) {
    return refusalOf(error);
  }
}

interface SharedParts {
  readonly files: ProjectFiles;
  /** The board of the present network: a restart creates another one. */
  board(): SwitchBoard;
  /** See `LabSessionOptions.save`. */
  save?(path: string, text: string): Promise<void>;
  send(event: LabEvent): void;
}

type SharedOp =
  | "files.list"
  | "files.read"
  | "files.save"
  | "files.check"
  | EditOp
  | "control.run"
  | "control.complete"
  | "control.undo"
  | "state.read";

/** Files, statements and state. */
export function sharedHandlers({ files, board, save, send }: SharedParts): Handlers<SharedOp> {
  return {
    ...editHandlers(files, () => board().programs),
    "files.list": () => ({ files: files.views() }),
    "files.read": ({ path }) => {
      const text = files.read(path);
      return files.isReadOnly(path) ? { text, readOnly: true } : { text };
    },
    "files.save": async ({ path, text }) => {
      const whole = files.checkPath(path);
      files.checkWritable(whole);
      await save?.(whole, text);
      files.write(whole, text);
      send({ kind: "file", path: whole });
      const { swaps, diagnostics } = await board().use(whole);
      return new WithDiagnostics<"files.save">({ swaps }, diagnostics);
    },
    "files.check": ({ path, text }) =>
      new WithDiagnostics({}, diagnosticViews(board().programs.check(path, text).list)),
    "control.run": ({ switch: name, text }) => {
      const control = board().control(name);
      return control.exclusively(async () => {
        const { answer: value, diagnostics } = await control.run(text);
        return new WithDiagnostics<"control.run">(value, diagnostics);
      });
    },
    "control.complete": ({ switch: name, line, cursor }) => board().control(name).complete(line, cursor),
    "control.undo": ({ switch: name }) => {
      const control = board().control(name);
      return control.exclusively(() => control.undo());
    },
    "state.read": ({ switch: name, cells }) => {
      const control = board().control(name);
      return control.state(control.planned.program ?? "", cells);
    },
  };
}

/** Applies a change of a file that no page made, as if a page had saved the file. */
export async function useChanged(
  { files, board, send }: SharedParts,
  path: string,
  text: string,
): Promise<void> {
  if (files.text(path) === text) return;
  files.write(path, text);
  send({ kind: "file", path });
  const { diagnostics } = await board().use(path);
  for (const { severity, message } of diagnostics)
    if (severity === "error") send({ kind: "notice", severity, text: `${path}: ${message}` });
}
