/**
 * Ends the process when a call of a user's chooser does not return. Such calls are too many to limit each by `guarded`, and a
 * loop in one blocks the process: no signal handler runs. Another thread checks whether one call does not end.
 */
import { Worker } from "node:worker_threads";
import { formatDiagnostic } from "../../base/index.js";
import { CODES } from "./codes.js";
import { type OwnModule, placed, placeOf } from "./guard.js";

/** The number of calls so far, and the index of the running member's text from 1; 0 while no call runs. */
const state = new Int32Array(new SharedArrayBuffer(8));

const POLL_MS = 100;

/**
 * Plain JavaScript, so that it runs from sources, from modules and from the bundled command. It counts how often in
 * sequence it sees the same call, so that a process that was paused for some time does not count as looping.
 */
const WATCH = `
const { writeSync } = require("node:fs");
const { parentPort, workerData: state } = require("node:worker_threads");
const members = [];
parentPort.on("message", (member) => members.push(member));
let call = 0;
let seen = 0;
setInterval(() => {
  const [calls, running] = [Atomics.load(state, 0), Atomics.load(state, 1)];
  seen = running !== 0 && calls === call ? seen + 1 : 0;
  call = calls;
  const member = members[running - 1];
  if (member === undefined || seen * ${POLL_MS} < member.limitMs) return;
  writeSync(2, member.text + "\\n");
  process.kill(process.pid, "SIGKILL");
}, ${POLL_MS});`;

let watch: Worker | undefined;
let members = 0;

/** Calls members of a chooser or a policy: exceptions get their place as by `placed`, and the process ends after the limit. */
export type Caller = <T>(member: string, call: () => T) => T;

/** The caller for one module. A call that does not return within the limit prints P43402 and ends the process by SIGKILL. */
export function watchedCaller(module: OwnModule, limitMs: number): Caller {
  const known = new Map<string, number>();
  return (member, call) => {
    let index = known.get(member);
    if (index === undefined) {
      index = announce(module, member, limitMs);
      known.set(member, index);
    }
    Atomics.add(state, 0, 1);
    Atomics.store(state, 1, index);
    try {
      return placed(module, member, call);
    } finally {
      Atomics.store(state, 1, 0);
    }
  };
}

/** The thread lasts as long as the process, and does not keep it alive. */
function announce(module: OwnModule, member: string, limitMs: number): number {
  if (watch === undefined) {
    watch = new Worker(WATCH, { eval: true, workerData: state, execArgv: [] });
    watch.unref();
  }
  const text = formatDiagnostic({
    severity: "error",
    code: CODES.endless,
    span: placeOf(module, member),
    message: `${member} has not returned after ${limitMs / 1000} s`,
    notes: [
      { message: "the process ends by SIGKILL; on real switches, sudo p4loom clean removes what a run left" },
    ],
  });
  watch.postMessage({ text, limitMs });
  return ++members;
}
