/** A UDP flow of a workload: it is complete when every datagram has arrived; a flow with a lost datagram stays unfinished. */
import type { UdpOptions, UdpReceiver, UdpSender } from "../../../sim/packet/index.js";
import type { FlowArrival } from "../../../traffic/index.js";
import type { FlowEvents, RunningFlow } from "./running-flow.js";

/** @param release called when the flow has ended @param send starts the sender */
export function simulatedDatagrams(
  { bytes, rateBps }: FlowArrival,
  segmentBytes: number,
  events: FlowEvents,
  release: () => void,
  send: (options: UdpOptions) => UdpSender,
): RunningFlow & { accept(receiver: UdpReceiver): void; close(): void } {
  let sender: UdpSender | undefined;
  let receiver: UdpReceiver | undefined;
  let isOver = false;
  const close = () => {
    if (isOver) return;
    isOver = true;
    sender?.close();
    receiver?.close();
    release();
    events.ended();
  };
  return {
    accept(accepted) {
      receiver = accepted;
      accepted.onReceived = () => {
        if (!accepted.isComplete) return;
        events.completed();
        close();
      };
    },
    close,
    start() {
      sender = send({ segmentBytes, rateBps: rateBps!, bytes });
    },
    counters: () => ({
      delivered: receiver?.bytes ?? 0,
      segmentsSent: sender?.datagramsSent ?? 0,
      reordered: receiver?.reordered ?? 0,
      maxReorderingBytes: (receiver?.maxReordering ?? 0) * segmentBytes,
      marked: receiver?.marked ?? 0,
    }),
  };
}
