/** The part that networks without tiers share: hosts at each switch. */
import type { Draft, DraftNode, LinkShape } from "./draft.js";

interface FlatSpec {
  readonly hosts_per_switch: number;
  readonly host_link: LinkShape;
}

/** Adds the hosts of a switch, called `hostLABEL-I`, and their links. */
export function addHosts(
  draft: Draft,
  own: DraftNode,
  label: string,
  pod: number | undefined,
  { hosts_per_switch, host_link }: FlatSpec,
): void {
  for (let i = 0; i < hosts_per_switch; i++) {
    const host = draft.node("host", `host${label}-${i}`, pod, own.position * hosts_per_switch + i);
    draft.link(host, own, host_link);
  }
}
