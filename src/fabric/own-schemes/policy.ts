/**
 * Calls a user's host policy. An exception gets its place in the user's file. Returned values are checked, because packets,
 * ports and messages are made from them.
 */

import { Worker } from "node:worker_threads";
import { fail, formatDiagnostic, given, type Json, notJson, type Random } from "../../base/index.js";
import { FIELD_BITS, type FlowKey, SELECTOR_FIELDS, type SelectorField } from "../../base/packets/index.js";
import type {
  ConnectionEnd,
  HostContext,
  HostPolicy,
  PathChooser,
  PolicyDescription,
} from "../hosts/index.js";
import { schemeKit } from "../schemes/index.js";
import { CODES } from "./codes.js";
import { guarded, type OwnModule, placed, placeOf, TIME_LIMIT_MS } from "./guard.js";
import { chooserShape, describeValue, issueOf, policyShape } from "./shape.js";

/** The member `hosts` of a module. */
type MakeHosts = (description: PolicyDescription, context: HostContext) => unknown;

/** The policy of one host, checked. Fails with P43402 to P43404. */
export function policyOf(
  module: OwnModule,
  make: MakeHosts,
  description: PolicyDescription,
  context: HostContext,
  limitMs: number = TIME_LIMIT_MS,
): HostPolicy {
  const { module: _module, moduleField, ...plain } = description;
  // A description that no plan wrote may lack the field: then selectors of the widest one are right.
  const field = SELECTOR_FIELDS.find((one) => one === moduleField) ?? "dscp_flow_label";
  const call = watchedCaller(module, limitMs);
  const checked = checkedContext(module, context, call);
  const made = guarded(module, "hosts", () => make(plain as PolicyDescription, checked), limitMs);
  const issue = issueOf(policyShape, made, "policy");
  if (issue !== undefined)
    fail(CODES.shape, placeOf(module, "hosts"), `hosts returns ${issue.text}`, ...issue.notes);
  const policy = made as Partial<HostPolicy> & Pick<HostPolicy, "open">;
  const { ecn, needs, reassembly, onCarrier } = policy;
  return {
    ...given({ ecn, needs, reassembly }),
    open: (flow, random, end) => {
      const chooser = call("open", () => policy.open(flow, random, end));
      const wrong = issueOf(chooserShape, chooser, "chooser");
      if (wrong !== undefined)
        fail(CODES.shape, placeOf(module, "open"), `open returns ${wrong.text}`, ...wrong.notes);
      return checkedChooser(module, chooser, field, call);
    },
    nic: nicOf(module, policy, call),
    ...(policy.sourcePort && {
      sourcePort: (flow: FlowKey, end: ConnectionEnd, random: Random) => {
        const port = call("sourcePort", () => policy.sourcePort!(flow, end, random));
        if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
        return fail(
          CODES.shape,
          placeOf(module, "sourcePort"),
          `sourcePort returns ${describeValue(port)}, which is no port`,
          "expected a whole number from 1 to 65535; flow.srcPort leaves the port as it is",
        );
      },
    }),
    ...(onCarrier && {
      onCarrier: (nic: number, up: boolean) => call("onCarrier", () => onCarrier.call(policy, nic, up)),
    }),
    ...(policy.onMessage && {
      onMessage: (message: Json) => {
        const answer = call("onMessage", () => policy.onMessage!(message));
        return checkedMessage(module, "onMessage", "onMessage returns", answer);
      },
    }),
  };
}

/** Timers call the user's code, and messages come from it. */
function checkedContext(module: OwnModule, context: HostContext, call: Caller): HostContext {
  const { clock } = context;
  return {
    ...context,
    clock: {
      now: () => clock.now(),
      at: (time, fn) => clock.at(time, () => call("hosts", fn)),
    },
    tell: (message) => context.tell(checkedMessage(module, "tell", "tell gets", message)),
  };
}

function checkedMessage(module: OwnModule, member: string, words: string, message: Json): Json {
  const wrong = notJson(message);
  if (wrong === undefined) return message;
  const what = wrong.path === "" ? wrong.what : `a message whose ${wrong.path} is ${wrong.what}`;
  return fail(
    CODES.shape,
    placeOf(module, member),
    `${words} ${what}, which is no plain JSON`,
    "messages are numbers, strings, booleans, null, lists and plain objects",
  );
}

/** The policy's choice of a NIC, checked; the hash of the flow where it has none. */
function nicOf(module: OwnModule, policy: Partial<HostPolicy>, call: Caller): HostPolicy["nic"] {
  return (flow, selector, nics) => {
    if (policy.nic === undefined) return schemeKit.flowHash(flow) % nics;
    const chosen = call("nic", () => policy.nic!(flow, selector, nics));
    if (Number.isInteger(chosen) && chosen >= 0 && chosen < nics) return chosen;
    return fail(
      CODES.shape,
      placeOf(module, "nic"),
      `nic returns ${describeValue(chosen)}, which is no number of a NIC`,
      `expected a whole number from 0 to ${nics - 1}`,
    );
  };
}

// Calls a user's chooser of paths. An exception gets its place in the user's file. Returned values are checked, because the
// transport counts copies by them and writes them into packets.

/** Maximum number of copies of one segment. */
const MAX_COPIES = 8;

/** The chooser, checked. Members that it does not have when it is opened stay absent. Fails with P43403 and P43404. */
function checkedChooser(
  module: OwnModule,
  chooser: PathChooser,
  field: SelectorField,
  call: Caller,
): PathChooser {
  const most = 2 ** FIELD_BITS[field] - 1;
  const isSelector = (value: unknown) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most;
  const range = `whole numbers from 0 to ${most}, the values of ${field}`;

  const one = (member: string, value: unknown): number => {
    if (isSelector(value)) return value as number;
    const verb = member === "selector" ? "is" : "returns";
    return fail(
      CODES.shape,
      placeOf(module, member),
      `${member} of a chooser ${verb} ${describeValue(value)}, which is no selector`,
      `selectors are ${range}`,
    );
  };
  const many = (member: string, value: unknown): readonly number[] => {
    if (Array.isArray(value) && value.length > 0 && value.length <= MAX_COPIES && value.every(isSelector))
      return value;
    return fail(
      CODES.shape,
      placeOf(module, member),
      `${member} of a chooser returns ${describeValue(value)}, which is no list of selectors`,
      `expected a list of 1 to ${MAX_COPIES} selectors, one for each copy; selectors are ${range}`,
    );
  };

  const { selectorFor, onFastRetransmit, onRound, onIdle, onReordering, onDrained } = chooser;
  const checked: PathChooser = {
    get selector() {
      return one(
        "selector",
        call("selector", () => chooser.selector),
      );
    },
    onTimeout: (attempt) =>
      many(
        "onTimeout",
        call("onTimeout", () => chooser.onTimeout(attempt)),
      ),
    onAck: (marks, rttNs) => call("onAck", () => chooser.onAck(marks, rttNs)),
    onData: (marks, duplicate) =>
      many(
        "onData",
        call("onData", () => chooser.onData(marks, duplicate)),
      ),
    ...(selectorFor && {
      selectorFor: (segment) =>
        one(
          "selectorFor",
          call("selectorFor", () => selectorFor.call(chooser, segment)),
        ),
    }),
    ...(onFastRetransmit && {
      onFastRetransmit: () =>
        many(
          "onFastRetransmit",
          call("onFastRetransmit", () => onFastRetransmit.call(chooser)),
        ),
    }),
    ...(onRound && { onRound: (round) => call("onRound", () => onRound.call(chooser, round)) }),
    ...(onIdle && { onIdle: (idleNs) => call("onIdle", () => onIdle.call(chooser, idleNs)) }),
    ...(onDrained && { onDrained: () => call("onDrained", () => onDrained.call(chooser)) }),
    ...(onReordering && {
      onReordering: (bytes) => call("onReordering", () => onReordering.call(chooser, bytes)),
    }),
  };
  // A getter in an object that is spread would be read once, when the chooser is opened.
  if ("holds" in chooser)
    Object.defineProperty(checked, "holds", {
      get: () => call("holds", () => chooser.holds) === true,
      enumerable: true,
    });
  if ("masksMarks" in chooser)
    Object.defineProperty(checked, "masksMarks", {
      get: () => call("masksMarks", () => chooser.masksMarks) === true,
      enumerable: true,
    });
  return checked;
}

// Ends the process when a call of a user's chooser does not return. Such calls are too many to limit each by `guarded`, and a
// loop in one blocks the process: no signal handler runs. Another thread checks whether one call does not end.

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
type Caller = <T>(member: string, call: () => T) => T;

/** The caller for one module. A call that does not return within the limit prints P43402 and ends the process by SIGKILL. */
function watchedCaller(module: OwnModule, limitMs: number): Caller {
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
