/** Names of v1model that programs for a Tofino often bring along, with what takes their place there: for the note of a name that is not declared. */

const INSTEAD: Readonly<Record<string, string>> = {
  standard_metadata:
    "each control has its metadata as parameters: ig_intr_md.ingress_port for ingress_port, ig_tm_md.ucast_egress_port for egress_spec, ig_tm_md.mcast_grp_a for mcast_grp, ig_dprsr_md.drop_ctl = 1 for a drop, eg_intr_md.egress_port, enq_qdepth and deq_timedelta in egress",
  standard_metadata_t:
    "the parameters are of ingress_intrinsic_metadata_t, ingress_intrinsic_metadata_for_deparser_t, ingress_intrinsic_metadata_for_tm_t, and those of egress",
  mark_to_drop: "write 1 to drop_ctl of ingress_intrinsic_metadata_for_deparser_t, or of the one for egress",
  register: "an object Register<T, I>(SIZE) with a RegisterAction",
  counter: "an object Counter<W, I>(SIZE, CounterType_t.PACKETS)",
  direct_counter: "an object DirectCounter<W>(CounterType_t.PACKETS)",
  meter: "an object Meter<I>(SIZE, MeterType_t.BYTES)",
  direct_meter: "an object DirectMeter(MeterType_t.BYTES)",
  action_profile: "an object ActionProfile(SIZE)",
  action_selector: "an object ActionSelector with an ActionProfile and a Hash",
  hash: "an object Hash<W>(HashAlgorithm_t.CRC32) and its method get",
  random: "an object Random<W>() and its method get",
  digest: "an object Digest<T>() in the deparser, packed where digest_type says so",
  clone: "an object Mirror() in the deparser, and mirror_type of the metadata for the deparser",
  clone_preserving_field_list:
    "an object Mirror() in the deparser, and mirror_type of the metadata for the deparser",
  resubmit_preserving_field_list: "an object Resubmit() in the ingress deparser, and resubmit_type",
  recirculate_preserving_field_list:
    "send the packet to the recirculation port: ucast_egress_port of ingress_intrinsic_metadata_for_tm_t",
  verify_checksum: "an object Checksum() in the parser, and its method verify",
  update_checksum: "an object Checksum() in the deparser, and its method update",
  HashAlgorithm: "HashAlgorithm_t",
  CounterType: "CounterType_t",
  MeterType: "MeterType_t",
};

/** What a program with these files (`p4include/tofino1_arch.p4`) writes in place of a name of v1model; undefined for other names and programs. */
export function insteadOnTofino(name: string, present: ReadonlySet<string>): string | undefined {
  const isTofino = present.has("p4include/tofino1_arch.p4") || present.has("p4include/tofino2_arch.p4");
  return isTofino && Object.hasOwn(INSTEAD, name) ? INSTEAD[name] : undefined;
}
