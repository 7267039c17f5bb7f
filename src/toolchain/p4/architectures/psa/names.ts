/** The names that psa_switch has for the parts of a program (BMv2, `targets/psa_switch/psa_switch.cpp`). */
import type { PortableTarget } from "../../portable/bmv2-program.js";

export const PSA_NAMES: PortableTarget = {
  parsers: { ingressParser: "ingress_parser", egressParser: "egress_parser" },
  pipelines: { ingress: "ingress", egress: "egress" },
  deparsers: { ingressDeparser: "ingress_deparser", egressDeparser: "egress_deparser" },
  metadata: {
    "ingress.parser": "psa_ingress_parser_input_metadata",
    "ingress.input": "psa_ingress_input_metadata",
    "ingress.output": "psa_ingress_output_metadata",
    "egress.parser": "psa_egress_parser_input_metadata",
    "egress.input": "psa_egress_input_metadata",
    "egress.output": "psa_egress_output_metadata",
    "egress.deparser": "psa_egress_deparser_input_metadata",
  },
  // psa_switch keeps all metadata from ingress to egress, and clears them on the other paths.
  carried: {
    resubmit: "resubmit_meta",
    clone_i2e: "clone_i2e_meta",
    clone_e2e: "clone_e2e_meta",
    recirculate: "recirculate_meta",
  },
};
