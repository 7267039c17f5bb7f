/** Exceptions of users' code that no caller awaits: in a timer, or in a promise that was dropped. */
import { DiagnosticError, type Span } from "../../base/index.js";
import { CODES } from "./codes.js";
import { messageOf, type OwnModule, thrownAt } from "./guard.js";

const loaded = new Map<string, OwnModule>();

/** Makes errors of the module known to {@link lateError}. */
export function rememberModule(module: OwnModule): void {
  loaded.set(module.url, module);
}

/** P43404 at the place in a loaded module that an uncaught error names; undefined where it names none. */
export function lateError(error: unknown): DiagnosticError | undefined {
  const span = [...loaded.values()]
    .map((module): Span | undefined => thrownAt(module, error))
    .find((place) => place !== undefined);
  if (span === undefined) return undefined;
  return new DiagnosticError([
    {
      severity: "error",
      code: CODES.threw,
      span,
      message: `the module throws when its call has long returned: ${messageOf(error)}`,
      notes: [{ message: "catch it there: in a timer, or in a promise that nothing awaits" }],
    },
  ]);
}
