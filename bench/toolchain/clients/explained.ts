/**
 * Differences between the switches that are meant: the P4Runtime specification (1.4) is on our side, or the test is
 * wrong. Whatever is not listed here counts as a difference to fix.
 */

interface Explanation {
  /** Name of the suite. */
  readonly suite: string;
  /** The name of a test, or a step of a script with the result of our switch. */
  readonly what: RegExp;
  readonly reason: string;
}

const SHELL = "p4runtime-shell, every entity";

const EXPLANATIONS: readonly Explanation[] = [
  {
    suite: SHELL,
    what: /^default of I\.paths: read.*Table has an implementation/,
    reason:
      "The default entry of an indirect table is a constant NoAction entry. simple_switch_grpc names no action, and p4runtime-shell takes an entry without an action only.",
  },
  {
    suite: SHELL,
    what: /^default of I\.paths: modify: refused PERMISSION_DENIED/,
    reason:
      "The default entry of an indirect table is constant; simple_switch_grpc answers INVALID_ARGUMENT.",
  },
  {
    suite: SHELL,
    what: /^direct (counter|meter) of an absent entry: (read: refused UNKNOWN|modify: refused NOT_FOUND)/,
    reason:
      "A direct resource of an entry that does not exist is NOT_FOUND (for a Read in the details of the status, whose own code is UNKNOWN); simple_switch_grpc says INVALID_ARGUMENT.",
  },
  {
    suite: SHELL,
    what: /^group with watch ports: read: .*watch_port: "\\001".*watch_port: "\\002"/,
    reason: "Each member keeps its own watch port; simple_switch_grpc gives both the last one.",
  },
  {
    suite: SHELL,
    what: /^group in use: delete: refused FAILED_PRECONDITION/,
    reason: "A group that an entry uses cannot be deleted; simple_switch_grpc says UNKNOWN.",
  },
  {
    suite: SHELL,
    what: /^entry to an absent (member|group): insert: refused NOT_FOUND/,
    reason:
      "A reference to an absent member or group is NOT_FOUND; simple_switch_grpc says INVALID_ARGUMENT.",
  },
  {
    suite: SHELL,
    what: /^(counter|meter): (read|modify) beyond its end: refused OUT_OF_RANGE/,
    reason: "An index beyond the array is OUT_OF_RANGE; simple_switch_grpc says UNKNOWN.",
  },
  {
    suite: SHELL,
    what: /^multicast group: read (after modify|all): .*egress_port: 1 instance: 1.*egress_port: 2.*egress_port: 3/,
    reason:
      "Replicas come back in the order in which they were written; simple_switch_grpc gives the last change first.",
  },
  {
    suite: SHELL,
    what: /^(multicast group|clone session|digest): read after delete: nothing/,
    reason: "A Read that matches no entity is empty; simple_switch_grpc says NOT_FOUND.",
  },
];

/** Why a difference is meant; undefined when it is not. `detail` is a line of {@link differences}. */
export function explain(suite: string, detail: string): string | undefined {
  const what = detail.replace(/^step /, "");
  return EXPLANATIONS.find((one) => one.suite === suite && one.what.test(what))?.reason;
}
