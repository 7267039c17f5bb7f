/** The names that pna_nic has for the parts of a program (BMv2, `targets/pna_nic/pna_nic.cpp`); it has no pre control. */
import type { PortableTarget } from "../../portable/bmv2-program.js";

export const PNA_NIC_NAMES: PortableTarget = {
  parsers: { mainParser: "main_parser" },
  pipelines: { mainControl: "main_control" },
  deparsers: { mainDeparser: "main_deparser" },
  metadata: {
    parser: "pna_main_parser_input_metadata",
    input: "pna_main_input_metadata",
    output: "pna_main_output_metadata",
  },
  carried: {},
};

export const PNA_NAMES: PortableTarget = {
  ...PNA_NIC_NAMES,
  pipelines: { preControl: "pre_control", ...PNA_NIC_NAMES.pipelines },
  metadata: {
    "pre.input": "pna_pre_input_metadata",
    "pre.output": "pna_pre_output_metadata",
    ...PNA_NIC_NAMES.metadata,
  },
};
