/** A network of plain namespaces and veth pairs, by iproute2 alone. */
import type { LabEnd, LabSpec } from "../lab-spec.js";
import { hostNamespace, switchNamespace } from "../run/record.js";
import { setUp } from "../system/command.js";
import type { Network } from "./lab-network.js";

export class NetnsNetwork implements Network {
  async build(id: string, spec: LabSpec, stop: AbortSignal): Promise<void> {
    const names = [switchNamespace(id), ...spec.hosts.map((host) => hostNamespace(id, host.name))];
    const input = names.map((name) => `netns add ${name}\n`).join("");
    await setUp("namespaces", ["ip", "-batch", "-"], { input, stop });
    const hosts = new Set(spec.hosts.map((host) => host.name));
    const place = ({ node, interface: label }: LabEnd): string =>
      `name ${label} netns ${hosts.has(node) ? hostNamespace(id, node) : switchNamespace(id)}`;
    // Interfaces are made inside their namespaces, so their names cannot collide with others.
    const links = spec.links.map(({ a, b }) => `link add ${place(a)} type veth peer ${place(b)}\n`);
    await setUp("links", ["ip", "-batch", "-"], { input: links.join(""), stop });
  }

  async end(): Promise<void> {}
}
