/** Reads TCP_INFO of a socket (linux/tcp.h), as far as the kernel provides it. */
import type { TcpSocket } from "../../toolchain/interfaces/index.js";
import type { TcpInfo } from "./events.js";

/** State of congestion control after a retransmission timeout, and its offset. */
const CA_STATE = 1;
const CA_LOSS = 4;

/** Offset and bytes; kernels add fields at the end. */
const FIELDS: Readonly<Record<keyof TcpInfo, readonly [at: number, bytes: 2 | 4 | 8]>> = {
  rttUs: [68, 4],
  rttVarUs: [72, 4],
  minRttUs: [148, 4],
  rtoUs: [8, 4],
  sendMss: [16, 4],
  congestionWindow: [80, 4],
  retransmissions: [100, 4],
  bytesRetransmitted: [208, 8],
  kernelTimeouts: [240, 2],
};

/** Null for members that this kernel does not report. */
export function tcpInfo(socket: TcpSocket): TcpInfo {
  const view = socket.info();
  const read = (field: keyof TcpInfo): number | null => {
    const [at, bytes] = FIELDS[field];
    if (at + bytes > view.byteLength) return null;
    if (bytes === 2) return view.getUint16(at, true);
    const low = view.getUint32(at, true);
    return bytes === 4 ? low : low + view.getUint32(at + 4, true) * 2 ** 32;
  };
  return {
    rttUs: read("rttUs"),
    rttVarUs: read("rttVarUs"),
    minRttUs: read("minRttUs"),
    rtoUs: read("rtoUs"),
    sendMss: read("sendMss"),
    congestionWindow: read("congestionWindow"),
    retransmissions: read("retransmissions"),
    bytesRetransmitted: read("bytesRetransmitted"),
    kernelTimeouts: read("kernelTimeouts"),
  };
}

/** Whether the socket's congestion control is in the state after a retransmission timeout. */
export function isInLossState(socket: TcpSocket): boolean {
  return socket.info().getUint8(CA_STATE) === CA_LOSS;
}
