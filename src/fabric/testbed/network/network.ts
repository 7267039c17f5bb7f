/**
 * The program that creates hosts and links. Afterwards both kinds are equal: every host is a namespace p4l-ID-HOST, all
 * switch-side interfaces are in p4l-ID, and each end of a link has the name that the spec gives it.
 */

import { hostNamespace, switchNamespace } from "../run/record.js";
import { setUp } from "../system/command.js";
import type { NetworkKind } from "../testbed.js";
import type { TestbedEnd, TestbedSpec } from "../testbed-spec.js";
import { MininetNetwork } from "./mininet.js";
import type { Network } from "./testbed-network.js";

export function makeNetwork(kind: NetworkKind): Network {
  return kind === "netns" ? new NetnsNetwork() : new MininetNetwork();
}

// A network of plain namespaces and veth pairs, by iproute2 alone.

class NetnsNetwork implements Network {
  async build(id: string, spec: TestbedSpec, stop: AbortSignal): Promise<void> {
    const names = [switchNamespace(id), ...spec.hosts.map((host) => hostNamespace(id, host.name))];
    const input = names.map((name) => `netns add ${name}\n`).join("");
    await setUp("namespaces", ["ip", "-batch", "-"], { input, stop });
    const hosts = new Set(spec.hosts.map((host) => host.name));
    const place = ({ node, interface: label }: TestbedEnd): string =>
      `name ${label} netns ${hosts.has(node) ? hostNamespace(id, node) : switchNamespace(id)}`;
    // Interfaces are made inside their namespaces, so their names cannot collide with others.
    const links = spec.links.map(({ a, b }) => `link add ${place(a)} type veth peer ${place(b)}\n`);
    await setUp("links", ["ip", "-batch", "-"], { input: links.join(""), stop });
  }

  async end(): Promise<void> {}
}
