export default (kit) => ({
  name: "idle",
  plan(topology) {
    const { programs, switches } = kit.schemes.ecmp.plan(topology, { hash_seed: 1, seed_scope: "tier", hash: {} });
    return { programs, switches, controllers: [{ name: "c", switches: [switches[0].node], controller: {} }] };
  },
});
