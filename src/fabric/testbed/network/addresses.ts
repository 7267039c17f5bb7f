/** Addresses as iproute2 reads them. */
import type { InterfaceAddress } from "../lab-spec.js";

export function macText(mac: bigint): string {
  return mac
    .toString(16)
    .padStart(12, "0")
    .replace(/..(?=.)/g, "$&:");
}

export function ipv4Text({ address, length }: InterfaceAddress): string {
  const bytes = [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 0xffn);
  return `${bytes.join(".")}/${length}`;
}

export function ipv6Text({ address, length }: InterfaceAddress): string {
  const groups = address.toString(16).padStart(32, "0").match(/..../g)!;
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}/${length}`;
}
