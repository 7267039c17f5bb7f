export default (kit) => ({
  name: "chooser",
  plan(topology) {
    const { programs, switches } = kit.schemes.ecmp.plan(topology, { hash_seed: 1, seed_scope: "tier", hash: {} });
    return { programs, switches, hosts: { values: 4 } };
  },
  hosts: () => ({
    open: () => ({
      selector: 0,
      onTimeout: () => [0, -1],
      onAck: () => {},
      onData: () => [0],
    }),
  }),
});
