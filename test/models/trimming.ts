/**
 * An output port that trims packets, written a second time: one queue for data and one for headers before a wire, as a walk over the arrivals in the order of
 * their times. It shares nothing with src/: times are in nanoseconds.
 */

export interface TrimmingPort {
  /** Nanoseconds for a byte on the wire. */
  readonly nsByte: number;
  /** Packets and bytes of data that may wait, bytes of headers. */
  readonly packets: number;
  readonly bytes: number;
  readonly headerBytes: number;
  /** Length of a cut packet. */
  readonly length: number;
  /** Headers in a row after which data leave; undefined: any number. */
  readonly perPacket: number | undefined;
}

export interface ArrivingPacket {
  readonly time: number;
  readonly bytes: number;
  /** Data that may be cut, data that may not, or a header. */
  readonly kind: "trimmable" | "data" | "header";
}

interface Left {
  /** Index of the arrival, and when its last bit has left. */
  readonly packet: number;
  readonly time: number;
  readonly bytes: number;
}

export interface PortResult {
  readonly left: Left[];
  trimmed: number;
  lost: number;
  refused: number;
  dropped: number;
  most: number;
}

interface Waiting {
  readonly packet: number;
  readonly bytes: number;
}

const total = (queue: readonly Waiting[]) => queue.reduce((sum, { bytes }) => sum + bytes, 0);

export function trimmingPort(port: TrimmingPort, arrivals: readonly ArrivingPacket[]): PortResult {
  const data: Waiting[] = [];
  const headers: Waiting[] = [];
  const result: PortResult = { left: [], trimmed: 0, lost: 0, refused: 0, dropped: 0, most: 0 };
  let free = 0;
  let inRow = 0;
  const send = ({ packet, bytes }: Waiting, from: number) => {
    free = from + bytes * port.nsByte;
    result.left.push({ packet, time: free, bytes });
  };
  const serve = (from: number) => {
    const yields = port.perPacket !== undefined && inRow >= port.perPacket && data.length > 0;
    if (headers.length > 0 && !yields) {
      inRow++;
      send(headers.shift()!, from);
    } else {
      inRow = 0;
      send(data.shift()!, from);
    }
  };
  const addHeader = (one: Waiting, busy: boolean): boolean => {
    const waits = busy || headers.length > 0;
    if (waits && total(headers) + one.bytes > port.headerBytes) return false;
    headers.push(one);
    if (waits) result.most = Math.max(result.most, total(headers));
    return true;
  };
  for (const [packet, { time, bytes, kind }] of arrivals.entries()) {
    while (data.length + headers.length > 0 && free < time) serve(free);
    const busy = free > time;
    const one = { packet, bytes };
    if (!busy && data.length + headers.length === 0) {
      send(one, time);
      continue;
    }
    if (kind === "header") {
      if (!addHeader(one, busy)) result.refused++;
    } else if (
      (!busy && data.length === 0) ||
      (data.length < port.packets && total(data) + bytes <= port.bytes)
    )
      data.push(one);
    else if (kind === "data") result.dropped++;
    else if (bytes <= port.length) {
      // Nothing can be cut off: it waits with the headers as it is.
      if (!addHeader(one, busy)) result.refused++;
    } else {
      result.trimmed++;
      if (!addHeader({ packet, bytes: port.length }, busy)) result.lost++;
    }
    if (!busy) serve(time);
  }
  while (data.length + headers.length > 0) serve(free);
  return result;
}
