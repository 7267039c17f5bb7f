/** Interfaces between a switch and PTF, in a network namespace that nothing else uses. */
import { execFileSync } from "node:child_process";
import { Interfaces } from "../../src/toolchain/interfaces/index.js";
import type { Switch } from "../../src/toolchain/switch/index.js";

/** Pairs of interfaces: `sN` is the switch's port N, `tN` is PTF's. */
export function linksOf(ports: readonly number[], device: Switch): Interfaces {
  const run = (...args: string[]) => execFileSync(args[0]!, args.slice(1));
  for (const port of ports) {
    execFileSync("sh", ["-c", `ip link del s${port} 2>/dev/null || true`]);
    run("ip", "link", "add", `s${port}`, "type", "veth", "peer", "name", `t${port}`);
    for (const name of [`s${port}`, `t${port}`]) {
      run("sysctl", "-qw", `net.ipv6.conf.${name}.disable_ipv6=1`);
      run("ip", "link", "set", name, "up", "mtu", "9500");
    }
  }
  return new Interfaces(
    ports.map((port) => ({ port, name: `s${port}` })),
    { frame: (port, frame) => device.receive(port, frame.slice()) },
  );
}

/** The arguments by which PTF takes its ends of the interfaces. */
export const ptfInterfaces = (ports: readonly number[]): string[] =>
  ports.flatMap((port) => ["-i", `${port}@t${port}`]);
