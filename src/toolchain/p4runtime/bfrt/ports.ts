/** Ports: what a controller says of them, what has passed, the numbers of connectors, and the configuration of the device. */
import type { Device, PortTraffic } from "../../device/index.js";
import { type Chip, chipTables } from "./chip-schema.js";
import { PORT, PORT_FP_IDX_INFO, PORT_HDL_INFO, PORT_STAT, PORT_STR_INFO } from "./fixed-schema.js";
import { FixedTable, InformationTable, type Key } from "./fixed-table.js";
import type { TableHandler } from "./table.js";
import type { Value } from "./values.js";

const PIPES = 4;
const PORTS_OF_PIPE = 128;

/** Connectors as the open model's board has them: pipe by pipe, each with so many channels; the last one leads to the CPU. */
interface Board {
  readonly connectors: number;
  readonly channels: number;
  /** Of a pipe's connectors, the first port. */
  readonly first: number;
  readonly cpu: readonly number[];
  readonly stages: number;
  readonly pciePort: number;
}

const BOARDS: Readonly<Record<Chip, Board>> = {
  tna: { connectors: 64, channels: 4, first: 0, cpu: [64, 65, 66, 67], stages: 12, pciePort: 320 },
  t2na: { connectors: 32, channels: 8, first: 8, cpu: [2, 3, 4, 5], stages: 20, pciePort: 0 },
};

interface Place {
  readonly connector: number;
  readonly channel: number;
  readonly port: number;
}

function placesOf({ connectors, channels, first, cpu }: Board): Place[] {
  const ofPipe = connectors / PIPES;
  const places: Place[] = [];
  for (let i = 0; i < connectors; i++)
    for (let channel = 0; channel < channels; channel++) {
      const port = Math.floor(i / ofPipe) * PORTS_OF_PIPE + first + (i % ofPipe) * channels + channel;
      places.push({ connector: i + 1, channel, port });
    }
  return [...places, ...cpu.map((port, channel) => ({ connector: connectors + 1, channel, port }))];
}

function nameOf({ connector, channel }: Place): string {
  return `${connector}/${channel}`;
}

function information(
  table: TableHandler["table"],
  places: readonly Place[],
  keyOf: (place: Place) => Key,
): InformationTable {
  return new InformationTable(table, (key) =>
    places
      .filter((place) => key === undefined || keyOf(place).join() === key.join())
      .map((place) => [keyOf(place), [["$DEV_PORT", BigInt(place.port)]]] as const),
  );
}

/** Frames and octets since the server started, and rates since the entry was read before. */
function statistics(device: Device, ports: FixedTable): InformationTable {
  const before = new Map<number, PortTraffic>();
  const of = (port: number): [string, Value][] => {
    const now = device.trafficOf?.(port);
    if (now === undefined) return [];
    const { received, receivedBytes, sent, sentBytes, timeUs } = now;
    const last = before.get(port) ?? { received: 0, receivedBytes: 0, sent: 0, sentBytes: 0, timeUs: 0 };
    const seconds = (timeUs - last.timeUs) / 1e6;
    const rate = (count: number): bigint => (seconds > 0 ? BigInt(Math.round(count / seconds)) : 0n);
    before.set(port, now);
    return [
      ["$FramesReceivedOK", BigInt(received)],
      ["$FramesReceivedAll", BigInt(received)],
      ["$FrameswithanyError", 0n],
      ["$OctetsReceivedinGoodFrames", BigInt(receivedBytes)],
      ["$OctetsReceived", BigInt(receivedBytes)],
      ["$FramesTransmittedOK", BigInt(sent)],
      ["$FramesTransmittedAll", BigInt(sent)],
      ["$FramesTransmittedwithError", 0n],
      ["$OctetsTransmittedwithouterror", BigInt(sentBytes)],
      ["$OctetsTransmittedTotal", BigInt(sentBytes)],
      ["$TX_PPS", rate(sent - last.sent)],
      ["$RX_PPS", rate(received - last.received)],
      ["$TX_RATE", rate(8 * (sentBytes - last.sentBytes))],
      ["$RX_RATE", rate(8 * (receivedBytes - last.receivedBytes))],
    ];
  };
  // Starts to count.
  device.trafficOf?.(0);
  return new InformationTable(PORT_STAT, (key) => {
    const [port] = key ?? [];
    const all = port === undefined ? [...ports].map(([[one]]) => Number(one)) : [Number(port)];
    return all.map((one) => [[BigInt(one)], of(one)] as const);
  });
}

export function portTables(device: Device, chip: Chip): TableHandler[] {
  const board = BOARDS[chip];
  const places = placesOf(board);
  const byPort = new Map(places.map((place) => [place.port, place]));
  const ports = new FixedTable(PORT, {
    computed: ([port], { values }) => {
      const place = byPort.get(Number(port));
      return [
        ["$IS_VALID", true],
        ["$IS_INTERNAL", place === undefined],
        ["$CONN_ID", BigInt(place?.connector ?? 0)],
        ["$CHNL_ID", BigInt(place?.channel ?? 0)],
        // Whatever the link: a port is up when it is enabled.
        ["$PORT_UP", values.get("$PORT_ENABLE") === true],
        ["$PORT_NAME", place === undefined ? "" : nameOf(place)],
      ];
    },
  });
  const indexes = new Map(places.map((place, i) => [place, BigInt(i + 1)]));
  const pipes = Array.from({ length: PIPES }, (_, i) => i * PORTS_OF_PIPE);
  const recirculating = pipes.flatMap((first) => [68, 69, 70, 71].map((port) => first + port));
  const front = places.slice(0, -board.cpu.length).map(({ port }) => port);
  return [
    ports,
    statistics(device, ports),
    information(PORT_HDL_INFO, places, ({ connector, channel }) => [BigInt(connector), BigInt(channel)]),
    information(PORT_FP_IDX_INFO, places, (place) => [indexes.get(place)!]),
    information(PORT_STR_INFO, places, (place) => [nameOf(place)]),
    new InformationTable(chipTables(chip).device, () => [
      [
        [],
        [
          ["sku", "UNKNOWN"],
          ["num_pipes", BigInt(PIPES)],
          ["num_stages", BigInt(board.stages)],
          ["num_max_ports", BigInt(front.length + board.cpu.length + recirculating.length)],
          ["num_front_ports", BigInt(board.connectors)],
          ["pcie_cpu_port", BigInt(board.pciePort)],
          ["eth_cpu_port_list", [...board.cpu]],
          ["internal_port_list", recirculating],
          ["external_port_list", front],
          ["recirc_port_list", recirculating],
        ],
      ],
    ]),
  ];
}
