/**
 * Calls a user's host policy. An exception gets its place in the user's file. Returned values are checked, because packets,
 * ports and messages are made from them.
 */
import { fail, given, type Json, notJson, type Random } from "../../base/index.js";
import type { FlowKey } from "../../base/packets/index.js";
import { SELECTOR_FIELDS } from "../../base/packets/index.js";
import type { ConnectionEnd, HostContext, HostPolicy, PolicyDescription } from "../hosts/index.js";
import { schemeKit } from "../schemes/index.js";
import { type Caller, watchedCaller } from "./call-watch.js";
import { checkedChooser } from "./chooser.js";
import { CODES } from "./codes.js";
import { guarded, type OwnModule, placeOf, TIME_LIMIT_MS } from "./guard.js";
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
  const { ecn, needs, onCarrier } = policy;
  return {
    ...given({ ecn, needs }),
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
