/** Tests in a temporary namespace which queueing disciplines the kernel has. */
import { randomBytes } from "node:crypto";
import { command } from "./command.js";

export interface Qdiscs {
  readonly htb: boolean;
  readonly tbf: boolean;
  readonly netem: boolean;
}

const TRIALS: Readonly<Record<keyof Qdiscs, string>> = {
  htb: "htb default 1",
  tbf: "tbf rate 1mbit burst 10kb latency 50ms",
  netem: "netem delay 1ms",
};

/** Undefined where namespaces or interfaces cannot be made, with the reason. */
export async function probeQdiscs(stop?: AbortSignal): Promise<Qdiscs | { reason: string }> {
  // unshare: the namespace ends with the shell in any case
  const name = `t${randomBytes(4).toString("hex")}`;
  const trials = Object.entries(TRIALS).map(
    ([kind, text]) =>
      `tc qdisc add dev ${name} root ${text} >/dev/null 2>&1 && { echo ${kind}; tc qdisc del dev ${name} root; }`,
  );
  const script = [`ip link add ${name} type veth peer name ${name}p || exit 9`, ...trials, "exit 0"].join(
    "\n",
  );
  const { status, stdout, stderr } = await command(
    ["unshare", "--net", "sh", "-c", script],
    stop === undefined ? {} : { stop },
  );
  if (status !== 0) return { reason: stderr.trim().split("\n")[0] || `exit status ${status}` };
  const there = new Set(stdout.split("\n"));
  return { htb: there.has("htb"), tbf: there.has("tbf"), netem: there.has("netem") };
}
