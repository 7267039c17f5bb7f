/** The key `replay`: packets of a capture. The whole file is checked before anything runs, and read again in each run. */
import { didYouMean } from "../../../../base/index.js";
import { recordedPackets } from "../../../../base/packets/index.js";
import { parseValue } from "../../../../toolchain/device/index.js";
import { hostsOf } from "../../../topology/index.js";
import { type MappedPrefix, type PacketSource, Replay } from "../../../traffic/index.js";
import { CODES } from "../../codes.js";
import type { TrafficContext } from "./traffic-context.js";
import { piecesOf, type TrafficFiles } from "./traffic-files.js";
import type { TrafficSettings } from "./traffic-schema.js";

/** Undefined after errors: see `planTraffic`. */
export function planReplay(
  { file, hosts: map, others, time_scale: timeScale }: NonNullable<TrafficSettings["replay"]>,
  context: TrafficContext,
  files: TrafficFiles,
): (() => PacketSource) | undefined {
  const { topology, locate, diagnostics } = context;
  const before = diagnostics.errorCount;
  const nodes = new Map(hostsOf(topology).map(({ name, index }) => [name, index]));
  const hosts: MappedPrefix[] = [];
  for (const [text, name] of Object.entries(map)) {
    const span = locate(["traffic", "replay", "hosts", text]);
    const prefix = prefixOf(text);
    const host = nodes.get(name);
    if (prefix === undefined)
      diagnostics.error(CODES.replayHosts, span, `"${text}" is no address and no prefix such as 10.0.0.0/8`);
    if (host === undefined)
      diagnostics.error(
        CODES.trafficHost,
        span,
        `there is no host "${name}"${didYouMean(name, [...nodes.keys()], '"')}`,
      );
    if (prefix !== undefined && host !== undefined) hosts.push({ ...prefix, host });
  }
  if (diagnostics.errorCount > before) return undefined;
  const path = files.pathOf(file);
  const span = locate(["traffic", "replay", "file"]);
  const spread = others === "spread";
  const open = (pieces: Iterable<Uint8Array>) =>
    new Replay({ name: path, packets: recordedPackets(path, pieces), hosts, spread, timeScale }, topology);
  files.readPieces(
    file,
    (pieces) => {
      const replay = open(pieces);
      while (replay.next() !== undefined);
      const { sent, notIp, unmapped, local } = replay.counters;
      if (sent > 0) return;
      const reasons = `${notIp} without IP, ${unmapped} with addresses of no host, ${local} within one host`;
      diagnostics.error(
        CODES.replayHosts,
        span,
        `${path} has no packet from one host to another: ${reasons}`,
      );
    },
    span,
  );
  return diagnostics.errorCount > before ? undefined : () => open(piecesOf(path));
}

function prefixOf(text: string): Omit<MappedPrefix, "host"> | undefined {
  const [digits, bits, ...more] = text.split("/");
  const version = digits!.includes(":") ? 6 : 4;
  if (more.length > 0 || (version === 4 && !/^\d+(\.\d+){3}$/.test(digits!))) return undefined;
  const most = version === 4 ? 32 : 128;
  const length = bits === undefined ? most : /^\d+$/.test(bits) ? Number(bits) : -1;
  const address = parseValue(digits!, most);
  return address.ok && length >= 0 && length <= most
    ? { version, address: address.value, length }
    : undefined;
}
