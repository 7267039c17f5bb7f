/** Why a known packet test fails, by its program. */
const STF = "p4-tests/p4_16/stf";
const JBAY = "p4-tests/p4_16/jbay";

const DOLLAR = "the reader of STF files has no commands that begin with `$`";
const COUNT = "the program counts one packet less than the test expects; the cause was not found";
const GHOST = "the test injects ghost packets";
const SELECTOR = "the test writes raw addresses of the hardware's selector";
const METER = "the test depends on the hardware model's meters without a configuration";
const NO_PORT = "ingress chooses no port: P4Testgen expects the packet at any, the switch drops it";
const REJECT =
  "P4Testgen goes on after `reject` and emits the rest of the packet; the switch drops a packet with an error";

export const KNOWN: Readonly<Record<string, string>> = {
  [`${JBAY}/multistage_fifo.p4`]:
    "registers that are chained over stages as one queue are queues of their own size",
  [`${JBAY}/hwlearn1.p4`]: COUNT,
  [`${JBAY}/hwlearn3.p4`]: DOLLAR,
  [`${JBAY}/hwlearn5.p4`]: DOLLAR,
  [`${JBAY}/ghost1.p4`]: GHOST,
  [`${JBAY}/ghost1_simp.p4`]: GHOST,
  [`${JBAY}/ghost2.p4`]: GHOST,
  [`${STF}/selector1.p4`]: SELECTOR,
  [`${STF}/sful_sel1.p4`]: SELECTOR,
  [`${STF}/meter_dest_16_32.p4`]: METER,
  [`${STF}/meter_dest_16_32_flexible.p4`]: METER,
  [`${STF}/rng.p4`]: "the test writes a value that the field cannot hold",
  [`${STF}/direct_actiondata1.p4`]: "the test names a table that the program does not have",
  [`${STF}/hash_dist_sharing.p4`]: "the test expects a field unchanged that the program writes",
  [`${STF}/match_key_slices.p4`]:
    "a key `field & mask` is matched as it is written; the test gives unmasked values for it",
  [`${STF}/symmetric_hash.p4`]: "`@symmetric` of a hash is not modelled",
  "mc36_freeRtr__misc_p4bf_bf_router.p4__tun3": NO_PORT,
  "mc36_freeRtr__misc_p4bf_bf_router.p4__tun5": NO_PORT,
  "yunmuxize_Dryad_V2__tofino_generated_iscx_depth_5_all_ternary_genetic_edt.p4": REJECT,
  "yunmuxize_Dryad_V2__tofino_generated_iscx_depth_5_optimized_genetic_edt.p4": REJECT,
  "cqzhangyu_roce-test__p4_shuffle_shuffle.p4":
    "the program emits a header before it writes its checksum: P4Testgen emits the old one, the hardware's deparser the new one",
  "Princeton-Cabernet_p4-projects__SipHash-tofino_p4src_halfsiphash24_ingressegress.p4":
    "the result depends on a random number",
};
