export default (kit) => ({
  name: "lost",
  plan(topology) {
    const { programs, switches } = kit.schemes.ecmp.plan(topology, { hash_seed: 1, seed_scope: "tier", hash: {} });
    return { programs, switches, controllers: [{ name: "c", switches: [99], controller: { start() {} } }] };
  },
});
