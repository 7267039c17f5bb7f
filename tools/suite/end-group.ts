/** Ends the group of a detached process. */
import type { ChildProcess } from "node:child_process";

/** Time after the signal after which what is left of the group is killed, in milliseconds. */
const GRACE_MS = 5000;

/** Passes a signal on to a process and to all that it started in its group; labs and switches then remove what they made. */
export function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals, graceMs = GRACE_MS): void {
  const send = (what: NodeJS.Signals): void => {
    try {
      process.kill(-pid!, what);
    } catch {
      // All of them have ended.
    }
  };
  send(signal);
  setTimeout(() => send("SIGKILL"), graceMs);
}
