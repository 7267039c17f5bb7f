/** Sizes of the frames of a flow, for its ideal time. */
import { Ethernet, Ip, Tcp, TcpOption, Udp } from "../../../../base/packets/index.js";
import { HEADERS_ONLY } from "../../../sim/packet/index.js";
import type { FlowArrival } from "../../../traffic/index.js";
import { wireModel } from "../../experiment.js";
import type { FrameSizes } from "./ideal-time.js";
import type { LoadSettings } from "./schema.js";

const IP = { 4: Ip.IPV4.length, 6: Ip.IPV6.length } as const;
/** The TCP header, with the option that carries the echo in all segments. */
const TCP = Tcp.LENGTH + TcpOption.ECHO.length;
/** Options of a SYN: maximum segment size, window scale, and for `sack` "SACK permitted", padded to a multiple of four bytes. */
const SYN_OPTIONS = { sack: 12, plain: 8 } as const;

/** Sizes by protocol, the same for all schemes: a tag that a scheme adds does not make the ideal time longer. */
export function frameSizes({
  transport,
  traffic,
  wire: name,
}: Pick<LoadSettings, "transport" | "traffic" | "wire">): Record<FlowArrival["protocol"], FrameSizes> {
  const below = Ethernet.LENGTH + IP[traffic.ip];
  const payload = transport.segment_bytes;
  const wire = wireModel(name);
  return {
    tcp: { payload, headers: below + TCP, opening: openingOf(transport, below + TCP), wire },
    udp: { payload, headers: below + Udp.LENGTH, opening: [], wire },
  };
}

/** Bytes of the kernel's timestamp option in every segment, and of all options of its SYN. */
const KERNEL_OPTIONS = { segment: 12, syn: 20 } as const;

/** The same for the kernel's TCP, whose segments carry timestamps (RFC 7323). */
export function kernelFrameSizes({
  transport,
  traffic,
}: Pick<LoadSettings, "transport" | "traffic">): Record<FlowArrival["protocol"], FrameSizes> {
  const below = Ethernet.LENGTH + IP[traffic.ip];
  const payload = transport.segment_bytes;
  const syn = below + Tcp.LENGTH + KERNEL_OPTIONS.syn;
  return {
    tcp: {
      payload,
      headers: below + Tcp.LENGTH + KERNEL_OPTIONS.segment,
      opening: [syn, syn],
      wire: HEADERS_ONLY,
    },
    udp: { payload, headers: below + Udp.LENGTH, opening: [], wire: HEADERS_ONLY },
  };
}

function openingOf(transport: LoadSettings["transport"], headers: number): readonly number[] {
  if (transport.protocol === undefined || !transport.handshake) return [];
  const syn = headers + SYN_OPTIONS[transport.sack ? "sack" : "plain"];
  return [syn, syn];
}
