/** A network namespace with pairs of interfaces, in which a switch and its tests run apart from everything else. */
import { execa } from "execa";

export interface Bench {
  readonly namespace: string;
  /** Interfaces of the switch and of the tests, pair by pair. */
  readonly pairs: readonly { inner: string; outer: string }[];
  remove(): Promise<void>;
}

/** Needs root. `name` must be unique on the machine; at most 12 characters. */
export async function makeBench(name: string, ports: number): Promise<Bench> {
  const ip = (...args: string[]) => execa("ip", args);
  await ip("netns", "add", name);
  const remove = async () => {
    await execa("ip", ["netns", "del", name], { reject: false });
  };
  try {
    await ip("-n", name, "link", "set", "lo", "up");
    // Neighbour discovery would put packets between those of the tests.
    for (const scope of ["all", "default"])
      await ip("netns", "exec", name, "sysctl", "-qw", `net.ipv6.conf.${scope}.disable_ipv6=1`);
    const pairs = Array.from({ length: ports }, (_, i) => ({
      inner: `veth${2 * i}`,
      outer: `veth${2 * i + 1}`,
    }));
    for (const { inner, outer } of pairs) {
      await ip(
        "-n",
        name,
        "link",
        "add",
        inner,
        "mtu",
        "9500",
        "type",
        "veth",
        "peer",
        "name",
        outer,
        "mtu",
        "9500",
      );
      for (const end of [inner, outer]) await ip("-n", name, "link", "set", end, "up");
    }
    return { namespace: name, pairs, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The command line that runs another one in a namespace. */
export function inside(namespace: string, command: string, args: readonly string[]): [string, string[]] {
  return ["ip", ["netns", "exec", namespace, command, ...args]];
}
