/** The tables whose names and fields differ between Tofino and Tofino 2: packet generator, configuration of the device. */
import { type Action, type Field, table } from "./fixed-form.js";

export type Chip = "tna" | "t2na";

const number = (name: string, more: Partial<Field> = {}): Field => ({ name, type: "uint32", ...more });
const flag = (name: string, more: Partial<Field> = {}): Field => ({ name, type: "bool", ...more });

export const TIMER = { once: "trigger_timer_one_shot", periodic: "trigger_timer_periodic" };
export const PORT_DOWN = "trigger_port_down";
export const PATTERN = "trigger_recirc_pattern";

function actionsOf(chip: Chip): Action[] {
  const pattern = { type: chip === "tna" ? "uint32" : "bytes", ...(chip === "tna" ? {} : { width: 128 }) };
  const timer = [number("timer_nanosec")];
  return [
    { id: 1, name: TIMER.once, params: timer },
    { id: 2, name: TIMER.periodic, params: timer },
    { id: 3, name: PORT_DOWN, params: chip === "tna" ? [] : [number("port_mask_sel", { id: 3 })] },
    {
      id: 4,
      name: PATTERN,
      params: [
        { name: "pattern_value", id: 4, ...pattern },
        { name: "pattern_mask", ...pattern },
      ],
    },
  ];
}

export function chipTables(chip: Chip) {
  const prefix = chip === "tna" ? "tf1" : "tf2";
  const short = (name: string, more: Partial<Field> = {}): Field =>
    chip === "tna" ? { name, type: "uint16", ...more } : { name, type: "bytes", width: 16, ...more };
  return {
    ports: table({
      name: `${prefix}.pktgen.port_cfg`,
      id: 0xff030001,
      type: "PktgenPortCfg",
      size: 256,
      key: [number("dev_port")],
      data: [
        flag("recirculation_enable"),
        flag("pktgen_enable"),
        flag("pattern_matching_enable"),
        flag("clear_port_down_enable"),
      ],
    }),
    apps: table({
      name: `${prefix}.pktgen.app_cfg`,
      id: 0xff030002,
      type: "PktgenAppCfg",
      size: chip === "tna" ? 8 : 16,
      key: [number("app_id")],
      actions: actionsOf(chip),
      data: [
        flag("app_enable", { id: 12 }),
        short("pkt_len"),
        short("pkt_buffer_offset"),
        number("pipe_local_source_port"),
        flag("increment_source_port"),
        short("batch_count_cfg"),
        short("packets_per_batch_cfg"),
        number("ibg"),
        number("ibg_jitter"),
        number("ipg"),
        number("ipg_jitter"),
        { name: "batch_counter", type: "uint64" },
        { name: "pkt_counter", type: "uint64" },
        { name: "trigger_counter", type: "uint64" },
        ...(chip === "tna"
          ? []
          : [
              flag("offset_len_from_recir_pkt_enable"),
              { name: "source_port_wrap_max", type: "bytes", width: 8 },
              { name: "assigned_chnl_id", type: "bytes", width: 8 },
            ]),
      ],
    }),
    buffer: table({
      name: `${prefix}.pktgen.pkt_buffer`,
      id: 0xff030003,
      type: "PktgenPktBufferCfg",
      size: 1024,
      key: [number("pkt_buffer_offset"), number("pkt_buffer_size")],
      data: [{ name: "buffer", type: "bytes", width: 8, repeated: true }],
    }),
    device: table({
      name: `${prefix}.dev.device_configuration`,
      id: 0xff060001,
      type: "DevConfigure",
      size: 1,
      key: [],
      data: [
        { name: "sku", type: "string", initial: "UNKNOWN", isReadOnly: true },
        number("num_pipes", { isReadOnly: true }),
        number("num_stages", { isReadOnly: true }),
        number("num_max_ports", { isReadOnly: true }),
        number("num_front_ports", { isReadOnly: true }),
        number("pcie_cpu_port", { isReadOnly: true }),
        number("eth_cpu_port_list", { repeated: true, isReadOnly: true }),
        number("internal_port_list", { repeated: true, isReadOnly: true }),
        number("external_port_list", { repeated: true, isReadOnly: true }),
        number("recirc_port_list", { repeated: true, isReadOnly: true }),
      ],
    }),
  };
}
