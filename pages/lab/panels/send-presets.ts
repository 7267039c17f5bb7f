/** Ready-made packets of the packet builder. */
import type { LabView } from "../../../src/course/lab/index.js";
import { t } from "../language/texts.js";

export interface Layer {
  readonly header: string;
  /** In their usual notation; absent fields get the value that follows from the rest of the packet. */
  readonly fields: Readonly<Record<string, string>>;
}

interface Preset {
  readonly title: string;
  readonly layers: readonly Layer[];
  readonly payload: string;
}

/** Ready-made packets to a host that is not the sender. */
export function presets({ nodes }: Pick<LabView, "nodes">, from: string): readonly Preset[] {
  const other = nodes.find(({ kind, name, ipv4 }) => kind === "host" && name !== from && ipv4 !== undefined);
  const dst = other?.ipv4?.replace(/\/\d+$/, "") ?? "10.0.0.2";
  const ethernet = { header: "ethernet", fields: {} };
  const ipv4 = { header: "ipv4", fields: { dst, ttl: "64" } };
  return [
    {
      title: t("preset.udp"),
      layers: [ethernet, ipv4, { header: "udp", fields: { src: "40000", dst: "5001" } }],
      payload: "hello",
    },
    {
      title: t("preset.syn"),
      layers: [ethernet, ipv4, { header: "tcp", fields: { src: "40000", dst: "80", flags: "2" } }],
      payload: "",
    },
    {
      title: t("preset.echo"),
      layers: [ethernet, ipv4, { header: "icmp", fields: { type: "8", code: "0", id: "1", sequence: "1" } }],
      payload: "p4loom",
    },
    {
      title: t("preset.ttl"),
      layers: [
        ethernet,
        { header: "ipv4", fields: { dst, ttl: "1" } },
        { header: "udp", fields: { dst: "5001" } },
      ],
      payload: "",
    },
    {
      title: t("preset.frame"),
      layers: [{ header: "ethernet", fields: { type: "0x1234" } }],
      payload: "hello",
    },
  ];
}
