/** Why a known packet test fails, by its program. */
const STF = "p4-tests/p4_16/stf";
const PTF = "p4-tests/p4_16/ptf";
const JBAY = "p4-tests/p4_16/jbay";

const SELECTOR = "the test writes raw addresses of the hardware's selector";
const METER = "the test depends on the hardware model's meters without a configuration";
const NO_PORT = "ingress chooses no port: P4Testgen expects the packet at any, the switch drops it";
const REJECT =
  "P4Testgen goes on after `reject` and emits the rest of the packet; the switch drops a packet with an error";

/** After the name of a program that is played on the second chip, too. */
export const ON_TOFINO2 = "@tofino2";

export const KNOWN: Readonly<Record<string, string>> = {
  [`${JBAY}/hwlearn3.p4`]:
    "the test writes members of an enum as the open compiler encodes those that a learning action answers",
  [`${PTF}/checksum_if_else_cond.p4`]: "the test gives scapy text in place of bytes, which Python 3 refuses",
  [`${PTF}/mirror_constants.p4`]:
    "the mirrored packet leaves before the other one; PTF passes over what comes before the packet that it waits for",
  [`${PTF}/varbit_checksum.p4`]:
    "the length of a varbit depends on a field of its own header, which has its value after the extraction; P4 takes the value before it",
  [`${STF}/selector1.p4`]: SELECTOR,
  [`${STF}/sful_sel1.p4`]: SELECTOR,
  [`${STF}/meter_dest_16_32.p4`]: METER,
  [`${STF}/meter_dest_16_32_flexible.p4`]: METER,
  [`${STF}/hash_dist_sharing.p4`]: "the test expects a field unchanged that the program writes",
  "mc36_freeRtr__misc_p4bf_bf_router.p4__tun3": NO_PORT,
  "mc36_freeRtr__misc_p4bf_bf_router.p4__tun5": NO_PORT,
  "yunmuxize_Dryad_V2__tofino_generated_iscx_depth_5_all_ternary_genetic_edt.p4": REJECT,
  "yunmuxize_Dryad_V2__tofino_generated_iscx_depth_5_optimized_genetic_edt.p4": REJECT,
  "cqzhangyu_roce-test__p4_shuffle_shuffle.p4":
    "the program emits a header before it writes its checksum: P4Testgen emits the old one, the hardware's deparser the new one",
  "Princeton-Cabernet_p4-projects__SipHash-tofino_p4src_halfsiphash24_ingressegress.p4":
    "the result depends on a random number",
};
