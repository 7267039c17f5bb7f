/**
 * Calls a user's chooser of paths. An exception gets its place in the user's file. Returned values are checked, because the
 * transport counts copies by them and writes them into packets.
 */
import { fail } from "../../base/index.js";
import { FIELD_BITS, type SelectorField } from "../../base/packets/index.js";
import type { PathChooser } from "../hosts/index.js";
import type { Caller } from "./call-watch.js";
import { CODES } from "./codes.js";
import { type OwnModule, placeOf } from "./guard.js";
import { describeValue } from "./shape.js";

/** Maximum number of copies of one segment. */
const MAX_COPIES = 8;

/** The chooser, checked. Members that it does not have when it is opened stay absent. Fails with P43403 and P43404. */
export function checkedChooser(
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
  return {
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
    ...("holds" in chooser && {
      get holds() {
        return call("holds", () => chooser.holds) === true;
      },
    }),
    ...(onDrained && { onDrained: () => call("onDrained", () => onDrained.call(chooser)) }),
    ...(onReordering && {
      onReordering: (bytes) => call("onReordering", () => onReordering.call(chooser, bytes)),
    }),
  };
}
