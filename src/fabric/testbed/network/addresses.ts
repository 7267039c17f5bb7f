/** Addresses as iproute2 reads them. */
import { ipv4Text, ipv6Text } from "../../../base/packets/index.js";
import type { InterfaceAddress } from "../lab-spec.js";

export function ipv4WithLength({ address, length }: InterfaceAddress): string {
  return `${ipv4Text(address)}/${length}`;
}

export function ipv6WithLength({ address, length }: InterfaceAddress): string {
  return `${ipv6Text(address)}/${length}`;
}
