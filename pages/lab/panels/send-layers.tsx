/** The headers of a packet that is built, each with its fields. Empty fields get what the rest of the packet implies. */
import type { LabReply, LabView } from "../../../src/lab/index.js";

export interface Layer {
  readonly header: string;
  readonly fields: Readonly<Record<string, string>>;
}

interface Known {
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly bits?: number }[];
}

type Built = Extract<LabReply<"packet.build">, { ok: true }>["value"];

const plain = (...names: string[]) => names.map((name) => ({ name }));

/** Headers that every lab knows, with the fields that people change. */
const WELL_KNOWN: readonly Known[] = [
  { name: "ethernet", fields: plain("dst", "src", "type") },
  { name: "vlan", fields: plain("pcp", "dei", "id", "type") },
  { name: "arp", fields: plain("operation", "sender_mac", "sender_ip", "target_mac", "target_ip") },
  { name: "ipv4", fields: plain("src", "dst", "ttl", "protocol", "dscp", "ecn", "identification") },
  { name: "ipv6", fields: plain("src", "dst", "hop_limit", "next_header", "traffic_class", "flow_label") },
  { name: "icmp", fields: plain("type", "code", "identifier", "sequence") },
  { name: "tcp", fields: plain("src_port", "dst_port", "sequence", "acknowledgement", "flags", "window") },
  { name: "udp", fields: plain("src_port", "dst_port") },
];

/** The well-known headers and those of the programs, each once. */
export function knownHeaders({ programs }: LabView): readonly Known[] {
  const known = new Map(WELL_KNOWN.map((header) => [header.name, header]));
  for (const { headers } of programs)
    for (const header of headers) if (!known.has(header.name)) known.set(header.name, header);
  return [...known.values()];
}

interface Preset {
  readonly title: string;
  readonly layers: readonly Layer[];
  readonly payload: string;
}

/** Packets to start from, to another host than the sender. */
export function presets({ nodes }: LabView, from: string): readonly Preset[] {
  const other = nodes.find(({ kind, name, ipv4 }) => kind === "host" && name !== from && ipv4 !== undefined);
  const dst = other?.ipv4?.replace(/\/\d+$/, "") ?? "10.0.0.2";
  const ethernet = { header: "ethernet", fields: {} };
  const ipv4 = { header: "ipv4", fields: { dst, ttl: "64" } };
  return [
    {
      title: "UDP datagram",
      layers: [ethernet, ipv4, { header: "udp", fields: { src_port: "40000", dst_port: "5001" } }],
      payload: "hello",
    },
    {
      title: "TCP SYN",
      layers: [
        ethernet,
        ipv4,
        { header: "tcp", fields: { src_port: "40000", dst_port: "80", flags: "syn" } },
      ],
      payload: "",
    },
    {
      title: "ICMP echo request",
      layers: [
        ethernet,
        ipv4,
        { header: "icmp", fields: { type: "8", code: "0", identifier: "1", sequence: "1" } },
      ],
      payload: "p4loom",
    },
    {
      title: "IPv4 with TTL 1",
      layers: [
        ethernet,
        { header: "ipv4", fields: { dst, ttl: "1" } },
        { header: "udp", fields: { dst_port: "5001" } },
      ],
      payload: "",
    },
    {
      title: "Ethernet frame",
      layers: [{ header: "ethernet", fields: { type: "0x1234" } }],
      payload: "hello",
    },
  ];
}

interface Props {
  layers: readonly Layer[];
  headers: readonly Known[];
  change: (layers: readonly Layer[]) => void;
  /** What the fields that are left empty became. */
  built: Built | undefined;
}

export function LayerEditor({ layers, headers, change, built }: Props) {
  const replace = (index: number, layer: Layer | undefined) =>
    change(layers.flatMap((one, at) => (at === index ? (layer === undefined ? [] : [layer]) : [one])));
  const move = (index: number, by: number) => {
    const next = [...layers];
    const [one] = next.splice(index, 1);
    next.splice(index + by, 0, one!);
    change(next);
  };
  return (
    <div class="layers">
      {layers.map((layer, index) => {
        const known = headers.find(({ name }) => name === layer.header);
        const values = built?.layers[index]?.header === layer.header ? built.layers[index]!.fields : {};
        return (
          <fieldset key={index}>
            <legend>{layer.header}</legend>
            <div class="row fields">
              {(known?.fields ?? []).map(({ name, bits }) => (
                <label key={name} class="field">
                  {name}
                  {bits === undefined || bits === 0 ? "" : ` (${bits})`}
                  <input
                    type="text"
                    class="mono"
                    value={layer.fields[name] ?? ""}
                    placeholder={values[name] ?? ""}
                    spellcheck={false}
                    onInput={({ currentTarget }) =>
                      replace(index, { ...layer, fields: { ...layer.fields, [name]: currentTarget.value } })
                    }
                  />
                </label>
              ))}
            </div>
            <div class="moves small">
              <button
                type="button"
                class="plain"
                disabled={index === 0}
                aria-label={`Header ${layer.header} earlier`}
                onClick={() => move(index, -1)}
              >
                ↑
              </button>
              <button
                type="button"
                class="plain"
                disabled={index === layers.length - 1}
                aria-label={`Header ${layer.header} later`}
                onClick={() => move(index, 1)}
              >
                ↓
              </button>
              <button
                type="button"
                class="plain"
                aria-label={`Remove header ${layer.header}`}
                disabled={layers.length === 1}
                onClick={() => replace(index, undefined)}
              >
                ✕
              </button>
            </div>
          </fieldset>
        );
      })}
      <label class="row small">
        Add a header
        <select
          value=""
          onChange={({ currentTarget }) => {
            if (currentTarget.value !== "") change([...layers, { header: currentTarget.value, fields: {} }]);
          }}
        >
          <option value="">which one</option>
          {headers.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
    </div>
  );
}
