/**
 * Hosts of the tutorials set their routes with `route` and `arp` of net-tools, which new systems do not install.
 * These commands are translated to commands of `ip`.
 */

/** The same command for iproute2; undefined if it is not one of these forms, so that it is run unchanged. */
export function inIproute2(command: string): string | undefined {
  const words = command.trim().split(/\s+/);
  if (words.some((word) => /[^A-Za-z0-9.:/_-]/.test(word))) return undefined;
  if (words[0] === "route") return routeCommand(words.slice(1));
  return words[0] === "arp" ? neighbourCommand(words.slice(1)) : undefined;
}

/** `route add default gw 10.0.1.10 dev eth0`, `route add -net 10.0.0.0/8 gw 10.0.1.10`, `route del ...`. */
function routeCommand(words: readonly string[]): string | undefined {
  const [verb, ...rest] = words;
  if (verb !== "add" && verb !== "del") return undefined;
  let target: string | undefined;
  let via: string | undefined;
  let device: string | undefined;
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i]!;
    if (word === "gw") via = rest[++i];
    else if (word === "dev") device = rest[++i];
    else if (word === "-net" || word === "-host") target = rest[++i];
    else if (target === undefined) target = word;
    else return undefined;
  }
  if (target === undefined) return undefined;
  return [
    `ip route ${verb} ${target}`,
    ...(via === undefined ? [] : [`via ${via}`]),
    ...(device === undefined ? [] : [`dev ${device}`]),
  ].join(" ");
}

/** `arp -i eth0 -s 10.0.1.10 08:00:00:00:01:00`, `arp -d 10.0.1.10 -i eth0`. */
function neighbourCommand(words: readonly string[]): string | undefined {
  let device: string | undefined;
  let verb: string | undefined;
  const rest: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word === "-i") device = words[++i];
    else if (word === "-s" || word === "-d") verb = word;
    else if (word.startsWith("-")) return undefined;
    else rest.push(word);
  }
  const [address, mac] = rest;
  if (device === undefined || address === undefined) return undefined;
  if (verb === "-d" && rest.length === 1) return `ip neigh del ${address} dev ${device}`;
  if (verb !== "-s" || mac === undefined || rest.length !== 2) return undefined;
  return `ip neigh replace ${address} lladdr ${mac} nud permanent dev ${device}`;
}
