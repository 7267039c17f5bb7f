/** Options of the connections that the tests of TCP open. */
import {
  CONGESTION_CONTROLS,
  NS_PER_MS,
  NS_PER_S,
  type TcpOptions,
} from "../../../../src/fabric/sim/packet/index.js";

export function tcp(options: Partial<TcpOptions> = {}): TcpOptions {
  return {
    protocol: "tcp",
    segmentBytes: 100,
    margin: 5 * NS_PER_MS,
    cap: NS_PER_S,
    initial: NS_PER_S,
    congestionControl: CONGESTION_CONTROLS.reno,
    initialWindow: 10,
    receiveBuffer: 1_000_000,
    delayedAck: { segments: 2, timeout: NS_PER_MS },
    ecn: "off",
    sack: true,
    rack: true,
    reordering: false,
    handshake: true,
    timeWait: 10 * NS_PER_MS,
    userTimeout: 100 * NS_PER_S,
    ...options,
  };
}
