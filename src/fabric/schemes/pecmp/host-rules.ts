/** The rules for the hosts of a fabric, from the parameters of the scheme. */
import { given } from "../../../base/index.js";
import type { Balancing } from "../plb/balancing-path.js";
import type { PecmpHosts } from "./hosts.js";
import type { SelectorLayout } from "./layout.js";
import type { PecmpParameters } from "./parameters.js";
import type { OffsetSet } from "./selectors.js";

/** The rules, with the bits of the selector and the offsets of a compiled fabric. */
export function hostsOf(
  { failover, balance, spray, subflow_selectors }: PecmpParameters,
  { layout, offsets }: { readonly layout: SelectorLayout; readonly offsets: OffsetSet },
): PecmpHosts {
  const { threshold: _, ...rules } = balance ?? {};
  return {
    failover,
    layout,
    offsets,
    subflows: subflow_selectors,
    ...given({ balance: balance === undefined ? undefined : (rules as Balancing) }),
    ...given({ spray }),
  };
}
