/** Network namespaces of a test's own, with veth pairs; they go when the test ends. */
import { execFileSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { interfacesAvailable } from "../../../src/toolchain/interfaces/index.js";

/** Runs `ip`; its output. */
export function ip(...words: string[]): string {
  return execFileSync("ip", words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Why interfaces cannot be tested here; undefined when they can. */
export function whyNot(): string | undefined {
  const available = interfacesAvailable();
  if (!available.ok) return available.reason;
  const name = `p4loom-try-${process.pid}`;
  try {
    ip("netns", "add", name);
    ip("netns", "del", name);
    return undefined;
  } catch (error) {
    return `no network namespace can be made: ${(error as Error).message.split("\n")[0]}`;
  }
}

let made = 0;

/** A namespace that is gone when the test is; silent: no IPv6, so that hosts say nothing unasked. */
export function namespace(): string {
  const name = `p4loom-${process.pid}-${made++}`;
  ip("netns", "add", name);
  onTestFinished(() => void ip("netns", "del", name));
  // Fails where the kernel has no IPv6 at all.
  const knobs = ["all", "default"].map((which) => `net.ipv6.conf.${which}.disable_ipv6=1`);
  inside(name, "sh", "-c", `sysctl -qw ${knobs.join(" ")} || true`);
  return name;
}

/** Runs a command in a namespace; its output. */
export function inside(namespace: string, ...words: string[]): string {
  return ip("netns", "exec", namespace, ...words);
}

/** A pair of connected interfaces, both up; offloads as they are by default. */
export function pair(a: readonly [string, string], b: readonly [string, string], mtu = 1500): void {
  const [bytes] = [String(mtu)];
  ip(
    "link",
    "add",
    a[1],
    "mtu",
    bytes,
    "netns",
    a[0],
    "type",
    "veth",
    "peer",
    "name",
    b[1],
    "mtu",
    bytes,
    "netns",
    b[0],
  );
  for (const [where, name] of [a, b]) ip("-n", where, "link", "set", name, "up");
}
