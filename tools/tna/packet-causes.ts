/** Why a known packet test fails, by its program. */
const STF = "p4-tests/p4_16/stf";
const JBAY = "p4-tests/p4_16/jbay";

const SELECTOR = "the test writes raw addresses of the hardware's selector";
const METER = "the test depends on the hardware model's meters without a configuration";
const REJECT =
  "P4Testgen goes on after `reject` and emits the rest of the packet; the switch drops a packet with an error";

/** After the name of a program that is played on the second chip, too. */
export const ON_TOFINO2 = "@tofino2";

export const KNOWN: Readonly<Record<string, string>> = {
  [`${JBAY}/hwlearn3.p4`]:
    "the test writes members of an enum as the open compiler encodes those that a learning action answers",
  [`${STF}/selector1.p4`]: SELECTOR,
  [`${STF}/sful_sel1.p4`]: SELECTOR,
  [`${STF}/meter_dest_16_32.p4`]: METER,
  [`${STF}/meter_dest_16_32_flexible.p4`]: METER,
  [`${STF}/hash_dist_sharing.p4`]: "the test expects a field unchanged that the program writes",
  "yunmuxize_Dryad_V2__tofino_generated_iscx_depth_5_all_ternary_genetic_edt.p4": REJECT,
  "yunmuxize_Dryad_V2__tofino_generated_iscx_depth_5_optimized_genetic_edt.p4": REJECT,
  "cqzhangyu_roce-test__p4_shuffle_shuffle.p4":
    "the program emits a header before it writes its checksum: P4Testgen emits the old one, the hardware's deparser the new one",
  "Princeton-Cabernet_p4-projects__SipHash-tofino_p4src_halfsiphash24_ingressegress.p4":
    "the result depends on a random number",
};
