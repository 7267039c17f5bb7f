/** Why a known packet test fails, by its program. */
const STF = "p4-tests/p4_16/stf";
const JBAY = "p4-tests/p4_16/jbay";

const QUEUES = "queues and stacks in registers (enqueue, push, sweep) are not modelled";
const LEARNING = "learning in the data plane (`dleft_hash`, LearnAction) is not modelled";
const EXTREMES = "`min8` to `max16` in register actions are not modelled";
const GHOST = "the test injects ghost packets";
const SELECTOR = "the test writes raw addresses of the hardware's selector";
const METER = "the test depends on the hardware model's meters without a configuration";
const FRAME_CHECK = "the hardware's parser reads into the frame check sequence after the last byte";
const TEST = "the test writes a value that the field cannot hold";

export const KNOWN: Readonly<Record<string, string>> = {
  [`${JBAY}/stateful_fifo1.p4`]: QUEUES,
  [`${JBAY}/stateful_stack1.p4`]: QUEUES,
  [`${JBAY}/stateful_stack2.p4`]: QUEUES,
  [`${JBAY}/stateful_stack3.p4`]: QUEUES,
  [`${JBAY}/stateful_clear1.p4`]: QUEUES,
  [`${JBAY}/multistage_fifo.p4`]: QUEUES,
  [`${JBAY}/hwlearn0.p4`]: LEARNING,
  [`${JBAY}/hwlearn1.p4`]: LEARNING,
  [`${JBAY}/hwlearn2.p4`]: LEARNING,
  [`${JBAY}/hwlearn3.p4`]: LEARNING,
  [`${JBAY}/hwlearn5.p4`]: LEARNING,
  [`${JBAY}/minmax1.p4`]: EXTREMES,
  [`${JBAY}/minmax2.p4`]: EXTREMES,
  [`${JBAY}/minmax3.p4`]: EXTREMES,
  [`${JBAY}/ghost1.p4`]: GHOST,
  [`${JBAY}/ghost1_simp.p4`]: GHOST,
  [`${JBAY}/ghost2.p4`]: GHOST,
  [`${STF}/selector1.p4`]: SELECTOR,
  [`${STF}/sful_sel1.p4`]: SELECTOR,
  [`${STF}/meter_dest_16_32.p4`]: METER,
  [`${STF}/meter_dest_16_32_flexible.p4`]: METER,
  [`${STF}/parser_scratch_reg_1.p4`]: FRAME_CHECK,
  [`${STF}/parser_scratch_reg_2.p4`]: FRAME_CHECK,
  [`${STF}/rng.p4`]: TEST,
  [`${STF}/symmetric_hash.p4`]: "`@symmetric` of a hash is not modelled",
};
