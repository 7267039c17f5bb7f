/** The network configuration that a host's commands set: its routes, and the MAC addresses of its neighbours. */
import { inIproute2 } from "./net-tools.js";
import type { ExerciseHost } from "./topology-file.js";

interface Route {
  /** 32 bits. */
  readonly prefix: bigint;
  readonly length: number;
  /** The next hop; undefined: the destinations are on the link. */
  readonly via: bigint | undefined;
}

/** Routes and permanent neighbours of a host, as in Linux after the host's commands. */
interface HostNetwork {
  /** The address of the next hop to `destination`; undefined without a route. */
  nextHop(destination: bigint): bigint | undefined;
  /** MAC addresses from the commands, by IPv4 address. */
  readonly neighbours: ReadonlyMap<bigint, bigint>;
}

/**
 * Reads the forms of `route`, `arp`, `ip route` and `ip neigh` that exercises use. Other commands are ignored: a simulated host
 * cannot run them.
 */
export function hostNetwork(host: Pick<ExerciseHost, "ipv4" | "prefixLength" | "commands">): HostNetwork {
  const routes: Route[] = [{ ...prefixOf(host.ipv4, host.prefixLength), via: undefined }];
  const neighbours = new Map<bigint, bigint>();
  for (const command of host.commands) {
    const words = (inIproute2(command) ?? command).trim().split(/\s+/);
    if (words[0] !== "ip") continue;
    if (words[1] === "route" || words[1] === "r") changeRoutes(routes, words.slice(2));
    if (words[1] === "neigh" || words[1] === "n") changeNeighbours(neighbours, words.slice(2));
  }
  return {
    neighbours,
    nextHop(destination) {
      let best: Route | undefined;
      for (const route of routes)
        if (covers(route, destination) && route.length > (best?.length ?? -1)) best = route;
      return best === undefined ? undefined : (best.via ?? destination);
    },
  };
}

/** `add default via 10.0.1.10 dev eth0`, `add 10.0.0.0/8 via 10.0.1.10`, `del default`. */
function changeRoutes(routes: Route[], [verb, target = "", ...rest]: readonly string[]): void {
  const [digits = "", length = "32"] = target === "default" ? ["0.0.0.0", "0"] : target.split("/");
  const address = addressOf(digits);
  if (address === undefined || !(Number(length) <= 32)) return;
  const route = prefixOf(address, Number(length));
  const old = routes.findIndex(
    (one) =>
      one.prefix === route.prefix && one.length === route.length && (verb !== "add" || one.via === undefined),
  );
  if (verb === "del" || verb === "replace") {
    if (old >= 0) routes.splice(old, 1);
    if (verb === "del") return;
  } else if (verb !== "add" || old >= 0) return;
  routes.push({ ...route, via: addressOf(optionOf(rest, "via") ?? "") });
}

/** `replace 10.0.1.10 lladdr 08:00:00:00:01:00 nud permanent dev eth0`, `del 10.0.1.10 dev eth0`. */
function changeNeighbours(
  neighbours: Map<bigint, bigint>,
  [verb, target = "", ...rest]: readonly string[],
): void {
  const address = addressOf(target);
  if (address === undefined) return;
  if (verb === "del") neighbours.delete(address);
  const mac = optionOf(rest, "lladdr") ?? "";
  if ((verb === "add" || verb === "replace") && /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i.test(mac))
    neighbours.set(address, BigInt(`0x${mac.replaceAll(":", "")}`));
}

function optionOf(words: readonly string[], name: string): string | undefined {
  const at = words.indexOf(name);
  return at < 0 ? undefined : words[at + 1];
}

function addressOf(text: string): bigint | undefined {
  const bytes = /^\d+\.\d+\.\d+\.\d+$/.test(text) ? text.split(".").map(Number) : [256];
  return bytes.every((byte) => byte < 256)
    ? bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
    : undefined;
}

function prefixOf(address: bigint, length: number): { prefix: bigint; length: number } {
  const rest = BigInt(32 - length);
  return { prefix: (address >> rest) << rest, length };
}

function covers({ prefix, length }: Route, address: bigint): boolean {
  return prefixOf(address, length).prefix === prefix;
}
