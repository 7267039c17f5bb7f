/** The colour of a port as the choice of paths sees it, where the controller writes it (`feedback: controller`). */
import type { Update } from "../../../toolchain/device/index.js";
import { call, exact, ingressName } from "../fabric.js";

/** Below its committed rate. */
export const GREEN = 0;

export function statusEntry(port: number, color: number): Update["entity"] {
  return {
    kind: "tableEntry",
    table: ingressName("port_utilizations"),
    match: [exact("meta.first_port", port)],
    priority: 0,
    action: { kind: "action", ...call("set_status", { color }) },
  };
}
